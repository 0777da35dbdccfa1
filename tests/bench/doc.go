// Package bench measures the product beside the raw limits of what it stands on, in one run, so that the ratios mean
// something on any machine: franz-go alone, the reading of a change stream alone, and the product between them. `make bench`
// runs it; nothing here asserts a time.
package bench
