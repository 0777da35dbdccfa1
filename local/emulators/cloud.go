package emulators

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
)

// spannerCommand runs the emulator without the gateway before it: the gateway adds a REST port and a second process,
// and nothing here speaks REST to Spanner.
func spannerCommand(_ context.Context, _ string, addresses []string, opts Options) ([]string, error) {
	program, err := inSDK("bin/cloud_spanner_emulator/emulator_main", "the Cloud Spanner emulator",
		"cloud-spanner-emulator", "google-cloud-cli-spanner-emulator")
	if err != nil {
		return nil, err
	}
	return append([]string{program, "--host_port", addresses[0]}, opts.SpannerFlags...), nil
}

// firestoreCommand bounds the heap: the emulator keeps every version of every document, and with Java's default bound
// it takes more than a gigabyte within minutes. Its WebSocket port is given, as it would take any otherwise.
func firestoreCommand(_ context.Context, _ string, addresses []string, _ Options) ([]string, error) {
	jar, err := inSDK("platform/cloud-firestore-emulator/cloud-firestore-emulator.jar", "the Cloud Firestore emulator",
		"cloud-firestore-emulator", "google-cloud-cli-firestore-emulator")
	if err != nil {
		return nil, err
	}
	java, err := find("java", "a Java runtime, 17 or newer (apt-get install openjdk-17-jre-headless)")
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(addresses[0])
	if err != nil {
		return nil, fmt.Errorf("address of the Firestore emulator: %w", err)
	}
	_, second, err := net.SplitHostPort(addresses[1])
	if err != nil {
		return nil, fmt.Errorf("second address of the Firestore emulator: %w", err)
	}
	return []string{
		java, "-Xmx512m", "-XX:+UseSerialGC", "-Duser.language=en", "-cp", jar,
		"com.google.cloud.datastore.emulator.firestore.CloudFirestore",
		"--host=" + host, "--port=" + port, "--websocket_port=" + second,
	}, nil
}

// firestoreReady asks the root page, which answers 200 once the emulator serves.
func firestoreReady(ctx context.Context, address string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/", nil)
	if err != nil {
		return err
	}
	// A transport of its own and no keep-alive: a kept connection would outlive the wait as a goroutine.
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("answers %s", answer.Status)
	}
	return nil
}

// accepts is ready for a service whose port opens only when it serves.
func accepts(ctx context.Context, address string) error {
	connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return connection.Close()
}

// inSDK finds a file of the Google Cloud SDK: below CLOUDSDK_ROOT, or below the folder that the gcloud on PATH belongs
// to. The error says how to install the component.
func inSDK(path, what, component, apt string) (string, error) {
	install := fmt.Sprintf("install it with `gcloud components install %s` or `apt-get install %s`", component, apt)
	root := os.Getenv("CLOUDSDK_ROOT")
	if root == "" {
		gcloud, err := exec.LookPath("gcloud")
		if err != nil {
			return "", fmt.Errorf("%s is missing: gcloud is not on PATH and CLOUDSDK_ROOT is not set: %s", what, install)
		}
		if real, err := filepath.EvalSymlinks(gcloud); err == nil {
			gcloud = real
		}
		root = filepath.Dir(filepath.Dir(gcloud))
	}
	file := filepath.Join(root, filepath.FromSlash(path))
	if _, err := os.Stat(file); err != nil {
		return "", fmt.Errorf("%s is missing (no %s): %s", what, file, install)
	}
	return file, nil
}

// find looks a program up on PATH; what says in words what to install.
func find(program, what string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("%s is not on PATH: install %s", program, what)
	}
	return path, nil
}
