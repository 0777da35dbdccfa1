package kafka

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// creation is how a topic is made. -1 for partitions or replication leaves the choice to the brokers.
type creation struct {
	partitions  int32
	replication int16
	configs     map[string]string
	factorKey   string // the setting that replication comes from, for messages
}

const creationPrefix = "topic.creation."

// creationRule is how the connector wants a topic made (KIP-158): by the first of topic.creation.groups that includes its
// name and does not exclude it, else by the group default. ok is false when topics are left to the brokers: the worker
// disallows creation, or the connector says nothing about it.
//
// A group inherits the default group's replication factor and partitions, not its topic settings.
func creationRule(name string, cfg, worker map[string]string) (rule creation, ok bool, err error) {
	if strings.EqualFold(strings.TrimSpace(worker["topic.creation.enable"]), "false") || !asksForCreation(cfg) {
		return creation{}, false, nil
	}
	group := "default"
	for _, g := range list(cfg[creationPrefix+"groups"]) {
		if g == "default" {
			continue
		}
		takes, err := takes(name, g, cfg)
		if err != nil {
			return creation{}, false, err
		}
		if takes {
			group = g
			break
		}
	}
	rule.configs = make(map[string]string)
	prefix := creationPrefix + group + "."
	for key, v := range cfg {
		setting, mine := strings.CutPrefix(key, prefix)
		switch {
		case !mine, setting == "include", setting == "exclude", setting == "partitions", setting == "replication.factor":
		default:
			rule.configs[setting] = v
		}
	}
	partitions, _, err := creationNumber(cfg, group, "partitions", math.MaxInt32)
	if err != nil {
		return creation{}, false, err
	}
	factor, factorKey, err := creationNumber(cfg, group, "replication.factor", math.MaxInt16)
	if err != nil {
		return creation{}, false, err
	}
	rule.partitions, rule.replication, rule.factorKey = int32(partitions), int16(factor), factorKey
	return rule, true, nil
}

func asksForCreation(cfg map[string]string) bool {
	for key := range cfg {
		if strings.HasPrefix(key, creationPrefix) {
			return true
		}
	}
	return false
}

// creationNumber reads a group's number, else the default group's, which must be there.
func creationNumber(cfg map[string]string, group, setting string, most int64) (int64, string, error) {
	key := creationPrefix + group + "." + setting
	v := strings.TrimSpace(cfg[key])
	if v == "" {
		key = creationPrefix + "default." + setting
		v = strings.TrimSpace(cfg[key])
	}
	if v == "" {
		return 0, key, fmt.Errorf("%s is not set: it must be when any setting that begins with %s is", key, creationPrefix)
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n == 0 || n < -1 || n > most {
		return 0, key, fmt.Errorf("%s is %q: a number of at least 1, or -1 for the brokers' default", key, v)
	}
	return n, key, nil
}

// takes tells whether a group includes the whole of a topic's name and does not exclude it.
func takes(name, group string, cfg map[string]string) (bool, error) {
	match := func(which string) (bool, error) {
		key := creationPrefix + group + "." + which
		for _, pattern := range list(cfg[key]) {
			re, err := regexp.Compile("^(?:" + pattern + ")$")
			if err != nil {
				return false, fmt.Errorf("%s has the pattern %q: %w", key, pattern, err)
			}
			if re.MatchString(name) {
				return true, nil
			}
		}
		return false, nil
	}
	if out, err := match("exclude"); err != nil || out {
		return false, err
	}
	return match("include")
}
