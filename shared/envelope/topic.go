package envelope

import (
	"strings"
	"unicode/utf8"

	"sluice.example/shared/connector"
)

// maxTopic is Kafka's limit on the length of a topic's name.
const maxTopic = 249

// DataTopic is the topic of a table's changes: connector, delimiter, table. What Kafka does not allow in a name becomes
// an underscore, so that two tables can share a topic (SK-09); names too long are cut.
//
// Source: reference 2.2.
func DataTopic(s *connector.Settings, table string) string {
	return legalTopic(s.Name + s.TopicDelimiter + table)
}

// HeartbeatTopic is the topic of a connector's heartbeats.
func HeartbeatTopic(s *connector.Settings) string {
	return s.HeartbeatPrefix + s.TopicDelimiter + s.Name
}

func legalTopic(name string) string {
	b := make([]byte, 0, len(name))
	for _, r := range name {
		switch {
		case r < utf8.RuneSelf && legalInTopic(byte(r)):
			b = append(b, byte(r))
		case r > 0xFFFF:
			b = append(b, "__"...) // Java counts UTF-16 units
		default:
			b = append(b, '_')
		}
	}
	switch string(b) {
	case ".", "..":
		return strings.Repeat("_", len(b))
	}
	return string(b[:min(len(b), maxTopic)])
}

func legalInTopic(c byte) bool {
	return c == '.' || c == '_' || c == '-' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
