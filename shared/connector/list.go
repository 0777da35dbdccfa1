package connector

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// SplitList splits at commas and trims each item. A text of blanks alone is the empty list.
func SplitList(v string) []string {
	if strings.TrimSpace(v) == "" {
		return nil
	}
	items := strings.Split(v, ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}

// SplitExpressions splits a list of regular expressions, in which a comma of an expression is written \, . Empty items
// are dropped, so that a list set to nothing names nothing.
func SplitExpressions(v string) []string {
	items := []string{}
	var item strings.Builder
	flush := func() {
		if s := strings.TrimSpace(item.String()); s != "" {
			items = append(items, s)
		}
		item.Reset()
	}
	for i := 0; i < len(v); i++ {
		switch {
		case v[i] == '\\' && i+1 < len(v) && v[i+1] == ',':
			item.WriteByte(',')
			i++
		case v[i] == '\\' && i+1 < len(v):
			item.WriteString(v[i : i+2])
			i++
		case v[i] == ',':
			flush()
		default:
			item.WriteByte(v[i])
		}
	}
	flush()
	return items
}

// expressions holds for RE2, which has no look-around and no back-references: what it cannot take is refused here, where
// the user sees it, and not when the first change arrives.
func expressions(v string) string {
	for _, e := range SplitExpressions(v) {
		if _, err := regexp.Compile("(?i)^(?:" + e + ")$"); err != nil {
			return "A comma-separated list of valid regular expressions is expected, but " + err.Error()
		}
	}
	return ""
}

func aliases(v string) string {
	items := SplitList(v)
	for i, a := range items {
		switch {
		case a == "":
			return "An alias is empty"
		case slices.Contains(items[:i], a):
			return "Duplicate alias provided."
		}
	}
	return ""
}

func operations(v string) string {
	items := SplitList(v)
	for _, op := range items {
		switch op {
		case "r", "c", "u", "d", "t":
		case "none":
			if len(items) > 1 {
				return "'none' cannot be specified with other skipped operation types"
			}
		default:
			return fmt.Sprintf("Invalid operation %q", op)
		}
	}
	return ""
}
