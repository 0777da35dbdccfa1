package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"sluice.example/shared/app"
)

// connectorFile is a connector as connect-standalone takes it from a file.
type connectorFile struct {
	name   string
	config map[string]any
}

// readConnectors reads properties files, JSON as POST /connectors takes it, and JSON that is the bare configuration.
func readConnectors(paths []string) ([]connectorFile, error) {
	var out []connectorFile
	for _, path := range paths {
		c := connectorFile{config: make(map[string]any)}
		if strings.HasSuffix(path, ".json") {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("read connector: %w", err)
			}
			var whole map[string]any
			if err := json.Unmarshal(text, &whole); err != nil {
				return nil, fmt.Errorf("read connector from %s: %w", path, err)
			}
			c.config = whole
			if inner, ok := whole["config"].(map[string]any); ok {
				if inner["name"] == nil {
					inner["name"] = whole["name"]
				}
				c.config = inner
			}
		} else {
			values, err := app.ReadFile(path)
			if err != nil {
				return nil, err
			}
			for k, v := range values {
				c.config[k] = v
			}
		}
		name, ok := c.config["name"].(string)
		if !ok || name == "" {
			return nil, fmt.Errorf("connector file %s has no name: set name", path)
		}
		c.name = name
		out = append(out, c)
	}
	return out, nil
}

// create puts a connector's configuration through the REST API, as anybody else would.
func create(ctx context.Context, address string, c connectorFile) error {
	body, err := json.Marshal(c.config)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://"+address+"/connectors/"+url.PathEscape(c.name)+"/config", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		answer, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
		return fmt.Errorf("PUT answered %s: %s", resp.Status, answer)
	}
	return nil
}
