package connector

import "slices"

// Validation is what is known about each key of one configuration, in the shape and order of Connect's ConfigInfos.
type Validation struct {
	Name       string       `json:"name"` // connector.class as sent
	ErrorCount int          `json:"error_count"`
	Groups     []string     `json:"groups"`
	Configs    []ConfigInfo `json:"configs"`
}

// ConfigInfo is one key and its value. Definition is nil for a key that only this configuration has.
type ConfigInfo struct {
	Definition *Definition `json:"definition"`
	Value      ConfigValue `json:"value"`
}

// Definition is a row of the table as answers show it.
type Definition struct {
	Name          string   `json:"name"`
	Type          Type     `json:"type"`
	Required      bool     `json:"required"`
	DefaultValue  *string  `json:"default_value"`
	Importance    string   `json:"importance"`
	Documentation string   `json:"documentation"`
	Group         string   `json:"group"`
	Width         string   `json:"width"`
	DisplayName   string   `json:"display_name"`
	Dependents    []string `json:"dependents"`
	Order         int      `json:"order"`
}

// ConfigValue is a value with its errors. Value is nil when there is none or it could not be read.
type ConfigValue struct {
	Name              string   `json:"name"`
	Value             *string  `json:"value"`
	RecommendedValues []string `json:"recommended_values"`
	Errors            []string `json:"errors"`
	Visible           bool     `json:"visible"`
}

// Errors are all errors in the order of the keys.
func (v *Validation) Errors() []string {
	var all []string
	for _, c := range v.Configs {
		all = append(all, c.Value.Errors...)
	}
	return all
}

// Failed tells whether a key has an error.
func (v *Validation) Failed(key string) bool {
	return slices.ContainsFunc(v.Configs, func(c ConfigInfo) bool { return c.Value.Name == key && len(c.Value.Errors) > 0 })
}

// Add gives a key more errors, which whoever has a network found. A key that is not listed is put first, without a
// definition.
func (v *Validation) Add(key string, errors ...string) {
	if len(errors) == 0 {
		return
	}
	v.ErrorCount += len(errors)
	for i := range v.Configs {
		if c := &v.Configs[i].Value; c.Name == key {
			c.Errors = append(slices.Clip(c.Errors), errors...)
			return
		}
	}
	v.Configs = slices.Insert(v.Configs, 0, ConfigInfo{Value: ConfigValue{Name: key, RecommendedValues: []string{}, Errors: errors, Visible: true}})
}

// Definition is the row as answers show it.
func (k *Key) Definition() Definition {
	return Definition{
		Name: k.Name, Type: k.Type, Required: k.Required, DefaultValue: k.Default, Importance: k.Importance,
		Documentation: k.Doc, Group: k.Group, Width: k.Width, DisplayName: k.Display, Dependents: []string{}, Order: k.Order,
	}
}

// Definitions are the rows that the connector offers, in the order of GET /connector-plugins/{p}/config: its own first,
// then Connect's.
func Definitions() []Definition {
	var defs []Definition
	for i := range table {
		if !table[i].Hidden {
			defs = append(defs, table[i].Definition())
		}
	}
	return defs
}
