package connector

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Keys that a configuration brings itself, below an alias: topic.creation.<group>.*, transforms.<alias>.*,
// predicates.<alias>.*. Each becomes a row for as long as the configuration is looked at.

func (r *report) embed(k Key) {
	k.Family, k.Display = Connect, k.Name
	r.judge(&k)
	r.embedded = append(r.embedded, &k)
}

// topicGroups: once any key of topic creation is there, the default group has to be complete. Connect finds that out
// only when the connector starts.
func (r *report) topicGroups() {
	const prefix = "topic.creation."
	if on, ok := boolean(r.w.property("topic.creation.enable", "true")); ok && !on {
		return
	}
	if !slices.ContainsFunc(sortedKeys(r.cfg), func(name string) bool { return strings.HasPrefix(name, prefix) }) {
		return
	}
	const partitions = prefix + "default.partitions"
	if _, ok := r.cfg[partitions]; !ok {
		r.add(partitions, `Missing required configuration "`+partitions+`" which has no default value.`)
	}
	size := Key{Importance: Low, Width: Wide, Group: "Topic Creation", Check: partitionCount}
	size.Name, size.Type, size.Required, size.Order = prefix+"default.replication.factor", Short, true, 2
	size.Doc = "Copies of each partition of a topic that this connector creates; -1 leaves it to the broker."
	r.embed(size)

	if !r.sound("topic.creation.groups") {
		return
	}
	for _, g := range SplitList(r.value("topic.creation.groups")) {
		if g == "default" {
			continue
		}
		row := Key{Importance: Low, Width: Wide, Group: "Topic Creation: " + g}
		for i, name := range []string{"include", "exclude", "replication.factor", "partitions"} {
			row.Name, row.Order = prefix+g+"."+name, i+1
			switch name {
			case "include", "exclude":
				row.Type, row.Check, row.Default = List, patterns, new("")
				row.Doc = "Regular expressions, matched against whole names of topics, for group " + g + "."
			case "replication.factor":
				row.Type, row.Check, row.Default = Short, partitionCount, nil
				row.Doc = "Copies of each partition for group " + g + "; without it the default group's."
			default:
				row.Type, row.Check, row.Default = Int, partitionCount, nil
				row.Doc = "Partitions for group " + g + "; without it the default group's."
			}
			r.embed(row)
		}
	}
}

func patterns(v string) string {
	for _, e := range SplitList(v) {
		if _, err := regexp.Compile("^(?:" + e + ")$"); err != nil {
			return "Invalid regex: " + err.Error()
		}
	}
	return ""
}

// wiring: each alias has a class, and a condition names a predicate that is there.
func (r *report) wiring() {
	predicates := []string{}
	if r.sound("predicates") {
		predicates = SplitList(r.value("predicates"))
	}
	if r.sound("transforms") {
		for _, a := range SplitList(r.value("transforms")) {
			r.transform("transforms."+a+".", "Transforms: "+a, predicates)
		}
	}
	for _, a := range predicates {
		r.class(Key{Name: "predicates." + a + ".type", Group: "Predicates: " + a, Doc: "Class of the predicate."}, PredicateKind)
	}
}

func (r *report) transform(prefix, group string, predicates []string) {
	r.class(Key{Name: prefix + "type", Group: group, Doc: "Class of the transformation."}, TransformationKind)
	condition, negate := prefix+"predicate", prefix+"negate"
	r.embed(Key{Name: negate, Type: Boolean, Default: new("false"), Importance: Medium, Width: Narrow, Group: group, Order: 2, Doc: "Whether to apply it where the predicate does not hold."})
	r.embed(Key{Name: condition, Type: String, Default: new(""), Importance: Medium, Width: Narrow, Group: group, Order: 3, Doc: "Alias of the predicate that decides whether to apply it."})
	p := r.cfg[condition]
	switch _, negated := r.cfg[negate]; {
	case HasReference(p):
	case p != "" && !slices.Contains(predicates, p):
		r.add(condition, "Invalid value "+p+" for configuration "+condition+": No predicate of that alias")
	case p == "" && negated:
		r.add(negate, "Configuration "+negate+" has no meaning without "+condition)
	}
}

func (r *report) class(k Key, kinds ...Kind) {
	k.Type, k.Required, k.Importance, k.Width = Class, true, High, Wide
	k.Recommend = r.w.classes(kinds...)
	r.embed(k)
	r.classExists(k.Name, kinds...)
}

func (r *report) classExists(name string, kinds ...Kind) {
	c, given := r.cfg[name]
	if c = strings.TrimSpace(c); given && !HasReference(c) && !r.w.knows(c, kinds...) {
		r.add(name, "Invalid value "+r.written[name]+" for configuration "+name+": Class "+r.written[name]+" could not be found.")
	}
}

func (r *report) converters() {
	r.classExists("key.converter", ConverterKind)
	r.classExists("value.converter", ConverterKind)
	r.classExists("header.converter", HeaderConverterKind, ConverterKind)
}

// converterDefault is what a connector's converter is without a setting of its own: the worker's.
func (r *report) converterDefault(name string) (*string, bool) {
	switch name {
	case "key.converter", "value.converter":
		if c := r.w.property(name, ""); c != "" {
			return &c, true
		}
	case "header.converter":
		return new(r.w.property(name, "org.apache.kafka.connect.storage.SimpleHeaderConverter")), true
	}
	return nil, false
}

func (r *report) recommended(k *Key) []string {
	switch k.Name {
	case "key.converter", "value.converter":
		return r.w.classes(ConverterKind)
	case "header.converter":
		return r.w.classes(HeaderConverterKind, ConverterKind)
	}
	return slices.Concat([]string{}, k.Recommend)
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
