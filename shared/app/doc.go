// Package app wires the product: worker properties in, use cases out. It is the one place that knows every adapter; what
// the functions and the local program run is an App. It owns Close.
package app
