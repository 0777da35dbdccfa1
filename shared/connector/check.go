package connector

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Limits of whole numbers.
const (
	maxTasks     = 1000 // far above any sensible connector; it stops a slip of the keyboard from making a million documents
	minHeartbeat = 100  // Spanner's own limits, in milliseconds
	maxHeartbeat = 300_000
)

// mistyped says what is wrong when value is not of type t; empty when it is.
func mistyped(f Family, t Type, value string) string {
	bits := map[Type]int{Short: 16, Int: 32, Long: 64}[t]
	switch {
	case t == Boolean:
		if _, ok := boolean(value); ok {
			return ""
		}
		if f == Connect {
			return "Expected value to be either true or false"
		}
		return "Either 'true' or 'false' is expected"
	case bits != 0:
		if _, err := strconv.ParseInt(value, 10, bits); err == nil {
			return ""
		}
		switch {
		case f == Connect:
			return "Not a number of type " + string(t)
		case t == Long:
			return "A long value is expected"
		default:
			return "An integer is expected"
		}
	default:
		return ""
	}
}

func boolean(v string) (value, ok bool) {
	switch {
	case strings.EqualFold(v, "true"):
		return true, true
	case strings.EqualFold(v, "false"):
		return false, true
	default:
		return false, false
	}
}

// number is a value that mistyped has let through; anything else counts as zero.
func number(v string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

func positive(v string) string {
	if number(v) > 0 {
		return ""
	}
	return "A positive, non-zero integer value is expected"
}

func notNegative(v string) string {
	if number(v) >= 0 {
		return ""
	}
	return "An non-negative integer is expected"
}

func notNegativeLong(v string) string {
	if number(v) >= 0 {
		return ""
	}
	return "A non-negative long value is expected"
}

func zeroOrMore(v string) string {
	if number(v) >= 0 {
		return ""
	}
	return "Value must be at least 0"
}

func queueSize(v string) string {
	if number(v) > 0 {
		return ""
	}
	return "A positive queue size is required"
}

func taskCount(v string) string {
	if n := number(v); n > maxTasks {
		return fmt.Sprintf("At most %d tasks are possible", maxTasks)
	}
	return positive(v)
}

func partitionCount(v string) string {
	if n := number(v); n >= 1 || n == -1 {
		return ""
	}
	return "A positive number is expected, or -1 for the broker's default"
}

func heartbeat(v string) string {
	if n := number(v); n >= minHeartbeat && n <= maxHeartbeat {
		return ""
	}
	return "Heartbeat interval must be between 100 and 300000"
}

func between(low, high int64) func(string) string {
	return func(v string) string {
		if n := number(v); n >= low && n <= high {
			return ""
		}
		return fmt.Sprintf("A value between %d and %d is expected", low, high)
	}
}

func oneOf(values ...string) func(string) string {
	return func(v string) string {
		if slices.Contains(values, v) {
			return ""
		}
		return "String must be one of: " + strings.Join(values, ", ")
	}
}

func oneOfFold(values ...string) func(string) string {
	return func(v string) string {
		if slices.ContainsFunc(values, func(x string) bool { return strings.EqualFold(x, v) }) {
			return ""
		}
		return "String must be one of (case insensitive): " + strings.Join(values, ", ")
	}
}

// instant reads a time with its zone, to the nanosecond. Years before 1970 are refused: nothing can be asked of them, and
// the first year is what an unset time looks like.
func instant(v string) string {
	if t, err := time.Parse(time.RFC3339Nano, v); err == nil && t.UTC().Year() >= 1970 {
		return ""
	}
	return "Invalid date. Should be with format yyyy-MM-dd'T'HH:mm:ssZ"
}

func filePath(v string) string {
	if strings.TrimSpace(v) == "" {
		return "The path does not name a file"
	}
	return ""
}

// jsonText never repeats the text it refuses: it is a secret.
func jsonText(v string) string {
	if json.Valid([]byte(v)) {
		return ""
	}
	return "The text is not valid JSON"
}

func captureMode(v string) string {
	if v == "OLD_AND_NEW_VALUES" {
		return ""
	}
	return "Only OLD_AND_NEW_VALUES is allowed"
}

func cloudOnly(v string) string {
	if strings.EqualFold(strings.TrimSpace(v), "cloud") {
		return ""
	}
	return "Only cloud is supported"
}

func pluginVersion(v string) string {
	if v == PluginVersion || strings.HasPrefix(v, "[") || strings.HasPrefix(v, "(") {
		return ""
	}
	return "The available version is " + PluginVersion
}

func tags(v string) string {
	for _, pair := range SplitList(v) {
		if name, _, ok := strings.Cut(pair, "="); !ok || strings.TrimSpace(name) == "" {
			return "Comma-separated k=v pairs are expected"
		}
	}
	return ""
}
