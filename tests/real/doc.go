// Package real proves the product from outside on real services: built processes, a real broker, the emulators of Spanner
// and Firestore, kill -9 and SIGSTOP. Its tests have the build tag real and are run by `make real`, which starts the services;
// a missing one fails.
package real
