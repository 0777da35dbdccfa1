package connector

import (
	"fmt"
	"strings"
	"unicode"
)

// Lengths of a topic's name: Kafka's limit, and the longest name that Spanner allows for a table.
const (
	topicLimit = 249
	tableLimit = 128
	nameLimit  = topicLimit - tableLimit - len(".")
)

// ValidName tells whether a connector can have this name at all.
func ValidName(name string) bool { return nameProblem(name) == "" }

// nameProblem refuses names that cannot begin a topic's name. Connect takes nearly any name, and the peer then replaces
// characters, by which two connectors may come to share a topic (SK-09).
func nameProblem(name string) string {
	if strings.TrimSpace(name) == "" {
		return "String may not be empty"
	}
	var codes []string
	for _, r := range name {
		if unicode.IsControl(r) {
			codes = append(codes, fmt.Sprint(int(r)))
		}
	}
	switch {
	case codes != nil:
		return "String may not contain control characters, but has the ASCII chars: " + strings.Join(codes, ", ")
	case name == "." || name == "..":
		return "This name cannot be part of a path"
	case strings.ContainsFunc(name, notTopic):
		return "The name begins every topic's name, so only letters, digits, '.', '_' and '-' are possible"
	case len(name) > nameLimit:
		return fmt.Sprintf("The name may be at most %d characters long, to leave room for a table's name in a topic's", nameLimit)
	default:
		return ""
	}
}

// topicPart holds for what becomes a part of a topic's name.
func topicPart(v string) string {
	if v == "" || strings.ContainsFunc(v, notTopic) {
		return "Only letters, digits, '.', '_' and '-' are possible, and at least one"
	}
	return ""
}

func offsetsTopic(v string) string {
	switch {
	case strings.TrimSpace(v) == "":
		return "String must be non-empty"
	case len(v) > topicLimit || v == "." || v == ".." || strings.ContainsFunc(v, notTopic):
		return "Not a possible name of a topic"
	default:
		return ""
	}
}

func notTopic(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-')
}
