package arch

// module is the path that go.mod declares.
const module = "sluice.example"

// levels is the import table. A package of shared that is in no level is a failure: place it here first.
var levels = []level{
	{
		name: "words", packages: []string{"clock", "changestream", "record", "lease"},
		reason: "words are what everything else is said in, so they know nothing but the standard library",
	},
	{
		name: "rules", packages: []string{"offset", "delivery", "partition", "tableschema", "envelope", "transform", "converter", "connector"},
		below: 1, peers: true,
		reason: "rules are pure: words and other rules in, answers out, so that they can be tested without a world",
	},
	{
		name: "verbs", packages: []string{"task", "scheduler", "connectapi"},
		below: 2, libraries: true,
		reason: "a verb names what it needs in an interface beside it; if it knew another verb or an adapter, the two could only be changed together",
	},
	{
		name: "adapters", packages: []string{"spannerdb", "firestoredb", "kafka", "metrics"},
		below: 3, libraries: true,
		reason: "an adapter serves verbs and knows one SDK; if it knew another adapter, replacing one would mean changing both",
	},
	{
		name: "wiring", packages: []string{"app", "console"},
		below: 4, peers: true, libraries: true,
		reason: "wiring knows all of shared and nothing of who runs it: functions, local and tests come above it",
	},
}

// level is one row. A package of it may import the first below levels, and its own if peers is true.
type level struct {
	name      string
	packages  []string
	below     int
	peers     bool
	libraries bool // packages of other modules, within the limits of sdks
	reason    string
}

// sdk is a family of import paths and the folders that may import it.
type sdk struct {
	prefixes []string
	only     []string // folders, with everything below them
	reason   string
}

var sdks = []sdk{
	{
		prefixes: []string{"cloud.google.com/go/spanner"},
		only:     []string{"shared/spannerdb", "local", "tests", "functions"},
		reason:   "the Spanner client has one home, so that a change of its API is a change of one package",
	},
	{
		prefixes: []string{"cloud.google.com/go/firestore"},
		only:     []string{"shared/firestoredb", "local", "tests", "functions"},
		reason:   "the Firestore client has one home, and so has the form of the documents",
	},
	{
		prefixes: []string{"github.com/twmb/franz-go"},
		only:     []string{"shared/kafka", "local", "tests", "functions"},
		reason:   "the Kafka client has one home: transactions and fencing are too easily bent from outside",
	},
	{
		prefixes: []string{"github.com/aws/aws-lambda-go", "github.com/GoogleCloudPlatform/functions-framework-go", "cloud.google.com/go/functions"},
		only:     []string{"functions"},
		reason:   "only the entry points know the platform, so that the same product runs on any, and on none",
	},
	{
		prefixes: []string{"github.com/twmb/franz-go/pkg/kfake", "go.uber.org/goleak", "pgregory.net/rapid", "testing"},
		only:     []string{"local", "tests"},
		reason:   "what stands in for a service or serves tests is no part of what is deployed",
	},
}

// impure says why a pure package may ask the time.
var impure = map[string]string{
	"shared/clock":    "it is where the time comes from",
	"shared/envelope": "the time of processing is part of an event; the maker takes a function, of which time.Now is the default",
}

// paced are the tests that drive a running product from outside: load and faults come on real time, and to look again
// later is all that one can do there.
var paced = []string{"tests/real", "tests/simulation", "tests/bench", "tests/cases"}

// top is what may lie at the root beside names that begin with a dot.
var top = []string{
	"functions", "shared", "infra", "local", "tests", "terraform",
	"go.mod", "go.sum", "Makefile", "README.md", "LICENSE",
	"bin", "dist", // made by the build, not kept
}

// shelves are folders that hold packages and are none themselves.
var shelves = map[string]string{
	".":         "Google's builder takes a package at the root for the function itself",
	"shared":    "a library is a noun of its own below it; a package called shared would become the place for everything",
	"functions": "an entry point belongs to a function or to a platform",
	"tests":     "a test belongs to the folder of its kind",
}
