package connector

import "strings"

// The connector's identity as clients know it. The version is that of the peer whose behaviour is promised.
const (
	ClassName     = "io.debezium.connector.spanner.SpannerConnector"
	TaskClassName = "io.debezium.connector.spanner.SpannerConnectorTask"
	PluginVersion = "3.4.0.Final"
)

// IsClass tells whether connector.class, as a user wrote it, means this connector: by its full name, its simple name, or
// the simple name without the word Connector.
func IsClass(class string) bool {
	switch strings.TrimSpace(class) {
	case ClassName, "SpannerConnector", "Spanner":
		return true
	default:
		return false
	}
}

// Kind is what a plugin is for; the names are those of GET /connector-plugins.
type Kind string

// The kinds of plugins.
const (
	SourceKind          Kind = "source"
	TransformationKind  Kind = "transformation"
	PredicateKind       Kind = "predicate"
	ConverterKind       Kind = "converter"
	HeaderConverterKind Kind = "header_converter"
)

// Plugin is a class that a configuration may name.
type Plugin struct {
	Class   string
	Kind    Kind
	Version string
}

// Named tells whether class, as a user wrote it, means the plugin: by its full name, its simple name, or that without its
// kind (JsonConverter, Json).
func (p Plugin) Named(class string) bool {
	simple := p.Class[strings.LastIndexByte(p.Class, '.')+1:]
	return class == p.Class || class == simple || class != "" && class == strings.TrimSuffix(strings.TrimSuffix(simple, "Converter"), "Header")
}
