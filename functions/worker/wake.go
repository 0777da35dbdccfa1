package worker

import (
	"encoding/json"
	"errors"
	"fmt"

	"sluice.example/shared/scheduler"
)

// ErrWake is a wake that does not say which slot to run. Trying it again cannot help.
var ErrWake = errors.New("not a wake")

// Decode reads a wake, {"connector":"orders","slot":0}. Fields that it does not know are let pass, so that an older
// worker understands a newer scheduler. Errors wrap ErrWake.
func Decode(body []byte) (scheduler.Wake, error) {
	var fields struct {
		Connector *string `json:"connector"`
		Slot      *int    `json:"slot"`
	}
	if err := json.Unmarshal(body, &fields); err != nil {
		return scheduler.Wake{}, fmt.Errorf("%w: %w", ErrWake, err)
	}
	if fields.Connector == nil || *fields.Connector == "" {
		return scheduler.Wake{}, fmt.Errorf("%w: it names no connector", ErrWake)
	}
	if fields.Slot == nil || *fields.Slot < 0 {
		return scheduler.Wake{}, fmt.Errorf("%w: slot must be a number from 0", ErrWake)
	}
	return scheduler.Wake{Connector: *fields.Connector, Slot: *fields.Slot}, nil
}
