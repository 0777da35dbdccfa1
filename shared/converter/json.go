package converter

import (
	"context"
	"fmt"
	"strings"

	"sluice.example/shared/record"
)

// jsonConverter is org.apache.kafka.connect.json.JsonConverter.
type jsonConverter struct {
	schemas bool // schemas.enable: {"schema":…,"payload":…}
	layouts layouts
	style   style
}

// style is how payloads are written.
type style struct {
	plainDecimal bool // decimal.format=NUMERIC
	useDefaults  bool // replace.null.with.default
}

func newJSON(_ string, c Config) (Converter, error) {
	j := &jsonConverter{}
	var err error
	if j.schemas, err = c.Bool("schemas.enable", true); err != nil {
		return nil, err
	}
	if j.style.useDefaults, err = c.Bool("replace.null.with.default", true); err != nil {
		return nil, err
	}
	if _, err = c.Int("schemas.cache.size", 1000); err != nil {
		return nil, err
	}
	switch format := strings.ToUpper(c["decimal.format"]); format {
	case "", "BASE64":
	case "NUMERIC":
		j.style.plainDecimal = true
	default:
		return nil, fmt.Errorf("invalid value %s for configuration decimal.format: must be one of BASE64, NUMERIC", c["decimal.format"])
	}
	return j, nil
}

// Append writes the value, with its schema when so configured. A null without a schema is no bytes; a null that has a
// schema is the word null.
func (j *jsonConverter) Append(_ context.Context, dst []byte, _ string, schema *record.Schema, v record.Value) ([]byte, bool, error) {
	if schema == nil && v.IsNull() {
		return dst, true, nil
	}
	came := len(dst)
	if schema == nil {
		if j.schemas {
			dst = append(dst, `{"schema":null,"payload":`...)
		}
		dst, err := appendBare(dst, v)
		return j.close(dst, came, err)
	}
	l, err := j.layouts.of(schema)
	if err != nil {
		return dst, false, err
	}
	if j.schemas {
		dst = append(dst, l.text...)
	}
	dst, err = j.style.append(dst, l, v)
	return j.close(dst, came, err)
}

func (j *jsonConverter) close(dst []byte, came int, err error) ([]byte, bool, error) {
	if err != nil {
		return dst[:came], false, err
	}
	if j.schemas {
		dst = append(dst, '}')
	}
	return dst, false, nil
}
