package connector

import (
	"maps"
	"slices"
	"strings"
)

// Validate judges a configuration key by key and as a whole. It is pure: that a stream exists is for others to find, who
// then Add. It never fails, and its texts and values contain no literal secret. Keys it does not know are left alone.
func Validate(cfg map[string]string, w Worker) Validation { return ValidateResolved(cfg, cfg, w) }

// ValidateResolved is Validate for a configuration whose references have been looked up: the resolved values are judged,
// the written ones are shown. A reference that is still one is not judged.
func ValidateResolved(written, resolved map[string]string, w Worker) Validation {
	r := newReport(written, resolved, w)
	for i := range table {
		r.judge(&table[i])
	}
	r.places()
	r.times()
	r.queues()
	r.delivery()
	r.converters()
	r.topicGroups()
	r.wiring()
	r.overrides()
	return r.validation()
}

// report collects what the rules say about one configuration.
type report struct {
	w        Worker
	written  map[string]string // folded
	cfg      map[string]string // folded and resolved
	errors   map[string][]string
	embedded []*Key   // rows that only this configuration has, as its transforms bring them
	trailing []string // client overrides
}

func newReport(written, resolved map[string]string, w Worker) *report {
	folded, lost := Fold(written)
	cfg, _ := Fold(resolved)
	r := &report{w: w, written: folded, cfg: cfg, errors: map[string][]string{}}
	for _, alias := range lost {
		k := byName[alias]
		r.add(k.Name, k.problem(Mask, "It is also given as "+alias+", with another value"))
	}
	return r
}

func (r *report) add(key string, text string) { r.errors[key] = append(r.errors[key], text) }

// value is the value in force: as given or by default, read by the key's type.
func (r *report) value(name string) string { return inForce(r.cfg, name) }

func inForce(cfg map[string]string, name string) string {
	k, v := byName[name], ""
	if given, ok := cfg[name]; ok {
		v = given
	} else if k != nil && k.Default != nil {
		v = *k.Default
	}
	if k == nil {
		return v
	}
	return k.scalar(v)
}

// judge applies what the row itself says. One value has at most one error by that: a second for the same cause, as the
// peer gives, only makes the count wrong.
func (r *report) judge(k *Key) {
	v, given := r.cfg[k.Name]
	v = k.scalar(v)
	switch {
	case HasReference(v):
	case !given && k.Required:
		r.add(k.Name, `Missing required configuration "`+k.Name+`" which has no default value.`)
	case k.Mandatory && strings.TrimSpace(v) == "":
		r.add(k.Name, k.problem("", "The field is not specified"))
	case !given:
	default:
		if what := k.fault(v); what != "" {
			r.add(k.Name, k.problem(r.written[k.Name], what))
		}
	}
}

func (k *Key) fault(v string) string {
	if what := mistyped(k.Family, k.Type, v); what != "" {
		return what
	}
	if k.Check != nil {
		return k.Check(v)
	}
	return ""
}

// sound tells whether all these keys are readable, so that a rule across them makes sense.
func (r *report) sound(names ...string) bool {
	for _, n := range names {
		if len(r.errors[n]) > 0 || HasReference(r.cfg[n]) {
			return false
		}
	}
	return true
}

func (r *report) validation() Validation {
	v := Validation{Name: r.written["connector.class"], Configs: []ConfigInfo{}}
	group := func(k *Key) {
		if k.Group != "" && !slices.Contains(v.Groups, k.Group) {
			v.Groups = append(v.Groups, k.Group)
		}
	}
	listed := map[string]bool{}
	list := func(k *Key) {
		if !listed[k.Name] && (!k.Hidden || r.written[k.Name] != "" || r.errors[k.Name] != nil) {
			v.Configs = append(v.Configs, r.info(k))
			listed[k.Name] = true
		}
	}
	for _, keys := range [][]Key{connectKeys, sourceKeys} {
		for i := range keys {
			group(&keys[i])
			list(&keys[i])
			if keys[i].Name == "connector.plugin.version" {
				list(byName["tasks.max"]) // Connect's place for the row that the connector overrides
			}
		}
	}
	for _, k := range r.embedded {
		group(k)
		list(k)
	}
	for i := range table {
		group(&table[i])
		list(&table[i])
	}
	for _, name := range r.trailing {
		v.Configs = append(v.Configs, r.info(&Key{Name: name}))
		v.Configs[len(v.Configs)-1].Definition = nil
		listed[name] = true
	}
	for _, c := range v.Configs {
		v.ErrorCount += len(c.Value.Errors)
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(r.errors))) {
		if !listed[name] {
			v.Add(name, r.errors[name]...)
		}
	}
	return v
}

func (r *report) info(k *Key) ConfigInfo {
	d := k.Definition()
	value := d.DefaultValue
	if given, ok := r.written[k.Name]; ok {
		value = new(k.scalar(given))
		if mistyped(k.Family, k.Type, *value) != "" && !HasReference(*value) {
			value = nil
		}
	}
	if value != nil {
		value = new(Masked(map[string]string{k.Name: *value})[k.Name])
	}
	recommend := r.recommended(k)
	if def, ok := r.converterDefault(k.Name); ok {
		d.DefaultValue = def
		if value == nil {
			value = def
		}
	}
	return ConfigInfo{Definition: &d, Value: ConfigValue{
		Name: k.Name, Value: value, RecommendedValues: recommend, Errors: slices.Concat([]string{}, r.errors[k.Name]), Visible: true,
	}}
}
