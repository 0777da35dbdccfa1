package firestoredb

import (
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSafeIDStaysReadable(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"orders-connector":       "orders-connector",
		"Größe 日本.v1":            "Größe 日本.v1",
		"a/b":                    "a%2Fb",
		"100%":                   "100%25",
		"__x__":                  "%5F_x__",
		"_x_":                    "_x_",
		".":                      "%2E",
		"..":                     "%2E.",
		"...":                    "%2E..",
		".x":                     ".x",
		"line\nbreak":            "line%0Abreak",
		"\xff":                   "%FF",
		"":                       "%-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
		strings.Repeat("x", 401): strings.Repeat("x", 100) + "%-c01684e5aabc2c5cf1dc79f25cb1b06ae7eba87ec63a94f5abde51f8a1e69eda",
	} {
		got := safeID(name)
		if strings.HasPrefix(want, strings.Repeat("x", 100)) {
			got, want = got[:102], want[:102]
		}
		if got != want {
			t.Errorf("safeID(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestSafeIDIsLegalAndInjective reads each id back: two names with one id would not both come back.
func TestSafeIDIsLegalAndInjective(t *testing.T) {
	t.Parallel()
	reserved := regexp.MustCompile(`^__.*__$`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(
			rapid.String(),
			rapid.StringMatching(`[_./%x]{0,8}`),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) }),
			rapid.StringN(300, 600, -1),
		).Draw(t, "name")
		id := safeID(name)
		if id == "" || len(id) > 1500 || !utf8.ValidString(id) || id == "." || id == ".." || strings.Contains(id, "/") || reserved.MatchString(id) {
			t.Fatalf("safeID(%q) = %q is no document id", name, id)
		}
		if strings.Contains(id, "%-") {
			if len(name) > 0 && len(name) <= longestID/3 {
				t.Fatalf("safeID(%q) = %q is a hash though the name is short", name, id)
			}
			return
		}
		if back := unescape(t, id); back != name {
			t.Fatalf("safeID(%q) = %q reads as %q", name, id, back)
		}
	})
}

func unescape(t *rapid.T, id string) string {
	var b strings.Builder
	for i := 0; i < len(id); i++ {
		if id[i] != '%' {
			b.WriteByte(id[i])
			continue
		}
		c, err := hex.DecodeString(id[i+1 : i+3])
		if err != nil {
			t.Fatal(err)
		}
		b.Write(c)
		i += 2
	}
	return b.String()
}
