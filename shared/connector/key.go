package connector

import (
	"cmp"
	"slices"
	"strings"
)

// Type is how a value is read; the names are those of Kafka's ConfigDef.
type Type string

// The types of values. A LIST is a comma-separated text.
const (
	Boolean  Type = "BOOLEAN"
	String   Type = "STRING"
	Int      Type = "INT"
	Short    Type = "SHORT"
	Long     Type = "LONG"
	List     Type = "LIST"
	Class    Type = "CLASS"
	Password Type = "PASSWORD"
)

// How much a key matters, and how wide a form should draw it; ConfigDef's names again.
const (
	High   = "HIGH"
	Medium = "MEDIUM"
	Low    = "LOW"

	Narrow = "SHORT"
	Middle = "MEDIUM"
	Wide   = "LONG"
)

// Family is whose key it is. It decides the form of an error message, because clients match on those forms.
type Family int

// The families.
const (
	Connect Family = iota // Invalid value <v> for configuration <k>: <problem>
	Source                // The '<k>' value is invalid: <problem>
	Sluice                // ours, in the form of Source
)

// Key is one row of the table: all that is known about a configuration key. Everything that lists, validates, parses,
// masks or documents keys reads this table; there is no second list.
type Key struct {
	Name       string
	Aliases    []string // other spellings that documents of the peers use
	Family     Family
	Type       Type
	Default    *string // nil: none
	Required   bool    // without a default, and missing is an error in Connect's form
	Importance string
	Width      string
	Group      string
	Order      int
	Display    string
	Doc        string
	Recommend  []string

	// Check says what is wrong with a present value of the right type; empty: nothing. It sees scalars trimmed.
	Check func(value string) string

	Mandatory bool // must not be blank, though the peer declares it optional
	Hidden    bool // understood, but not offered by listings, as the peer does not
	Idle      bool // accepted and validated for the peer's sake; there is nothing here it could change
}

// Keys is the whole table in the order of listings: the connector's own keys, then Connect's.
func Keys() []Key { return slices.Clone(table) }

var table = slices.Concat(ownKeys(), connectKeys, sourceKeys)

// ownKeys are the connector's rows, by group and order. They are written down by topic, which is not how forms want them.
func ownKeys() []Key {
	groups := []string{"Spanner", "Connector", "Events", "Sluice", ""}
	own := slices.Concat(placeKeys, streamKeys, taskKeys, coordinationKeys, eventKeys, sluiceKeys)
	slices.SortStableFunc(own, func(a, b Key) int {
		return cmp.Or(cmp.Compare(slices.Index(groups, a.Group), slices.Index(groups, b.Group)), cmp.Compare(a.Order, b.Order))
	})
	return own
}

var byName = func() map[string]*Key {
	m := make(map[string]*Key, len(table)+8)
	for i := range table {
		k := &table[i]
		m[k.Name] = k
		for _, a := range k.Aliases {
			m[a] = k
		}
	}
	return m
}()

// Lookup finds a key by its name or one of its other spellings.
func Lookup(name string) (Key, bool) {
	k, ok := byName[name]
	if !ok {
		return Key{}, false
	}
	return *k, true
}

// Fold rewrites other spellings to the name in the table. A key given under its own name wins over its aliases; the
// names that lost with a different value are returned, because to ignore one of two contradicting values would be quiet.
func Fold(cfg map[string]string) (folded map[string]string, lost []string) {
	folded = make(map[string]string, len(cfg))
	for name, v := range cfg {
		if k, ok := byName[name]; !ok || k.Name == name {
			folded[name] = v
		}
	}
	for i := range table {
		for _, a := range table[i].Aliases {
			v, given := cfg[a]
			if !given {
				continue
			}
			if old, taken := folded[table[i].Name]; taken && old != v {
				lost = append(lost, a)
				continue
			}
			folded[table[i].Name] = v
		}
	}
	return folded, lost
}

func (k *Key) problem(value, what string) string {
	if k.Family == Connect {
		if k.Type == Password {
			value = Mask
		}
		return "Invalid value " + value + " for configuration " + k.Name + ": " + what
	}
	return "The '" + k.Name + "' value is invalid: " + what
}

// scalar is a value as its type reads it: Connect trims everything but free text.
func (k *Key) scalar(value string) string {
	if k.Type == String || k.Type == Password {
		return value
	}
	return strings.TrimSpace(value)
}
