// Package emulators starts and stops the real far side on this machine: an Apache Kafka broker, the Cloud Spanner
// emulator and the Cloud Firestore emulator, as plain processes on loopback. tests/real and `make real` use it; the
// product never does.
//
// A Set is a folder. Each service keeps its state, log and data in a folder of its own below it, so that another
// process can find, stop or kill what this one started, and so that two sets in two folders never meet.
//
//	        Start                    Kill
//	absent ───────► running ───────────────► killed
//	   ▲               │  ▲                     │
//	   └───── Stop ────┘  └────── Restart ──────┘
//
// A killed service keeps its ports, and Kafka its data, so that clients find it again after Restart. The two emulators
// live in memory and come back empty. Stop forgets everything but the logs.
//
// A process is known by its id together with the time it started, and signals go to its whole process group: an id
// that the system has given to somebody else since is never signalled. It needs a Unix system.
//
// What must be installed: Java 17 or newer, Maven (it fetches Kafka's jars once into a folder shared by all sets), and
// the two emulators of the Google Cloud SDK. A missing piece is an error that names the command to install it.
package emulators
