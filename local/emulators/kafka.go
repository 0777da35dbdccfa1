package emulators

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"
)

// kafkaVersion is the broker's release; the folder of jars carries it, so that a change of it fetches anew.
const kafkaVersion = "4.1.1"

//go:embed kafka-pom.xml
var kafkaPom []byte

// clusterID is any 16 bytes in base64url; a fixed one keeps a broker's data folder valid across restarts.
const clusterID = "c2x1aWNlLWVtdWxhdG9ycw"

// kafkaCommand makes one process broker and controller at once (KRaft), with every internal topic at one replica and
// few partitions, because 50 of each would cost a small machine seconds at start.
func kafkaCommand(ctx context.Context, dir string, addresses []string, opts Options) ([]string, error) {
	jars, err := kafkaJars(ctx, opts.Jars)
	if err != nil {
		return nil, err
	}
	java, err := find("java", "a Java runtime, 17 or newer (apt-get install openjdk-17-jre-headless)")
	if err != nil {
		return nil, err
	}
	broker, controller := addresses[0], addresses[1]
	data := filepath.Join(dir, "data")
	lines := []string{
		"process.roles=broker,controller",
		"node.id=1",
		"controller.quorum.voters=1@" + controller,
		"controller.listener.names=CONTROLLER",
		"listeners=PLAINTEXT://" + broker + ",CONTROLLER://" + controller,
		"advertised.listeners=PLAINTEXT://" + broker,
		"inter.broker.listener.name=PLAINTEXT",
		"listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
		"log.dirs=" + data,
		"num.partitions=3",
		"offsets.topic.replication.factor=1",
		"offsets.topic.num.partitions=4",
		"transaction.state.log.replication.factor=1",
		"transaction.state.log.min.isr=1",
		"transaction.state.log.num.partitions=4",
		"group.initial.rebalance.delay.ms=0",
		// A killed broker is let in again only when its old session has run out, which would take nine seconds.
		"broker.heartbeat.interval.ms=500",
		"broker.session.timeout.ms=5000",
	}
	properties := filepath.Join(dir, "server.properties")
	text := strings.Join(append(lines, opts.KafkaProperties...), "\n") + "\n"
	if err := os.WriteFile(properties, []byte(text), 0o644); err != nil {
		return nil, fmt.Errorf("write broker properties: %w", err)
	}
	classes := []string{"-XX:+UseSerialGC", "-cp", filepath.Join(jars, "*")}
	if _, err := os.Stat(filepath.Join(data, "meta.properties")); errors.Is(err, os.ErrNotExist) {
		args := slices.Concat(classes, []string{"kafka.tools.StorageTool", "format", "-t", clusterID, "-c", properties})
		if out, err := exec.CommandContext(ctx, java, args...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("format broker data: %w: %s", err, bytes.TrimSpace(out))
		}
	}
	flags := []string{java, "-Xms64m", "-Xmx" + opts.KafkaHeap, "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"}
	return slices.Concat(flags, classes, []string{"kafka.Kafka", properties}), nil
}

// kafkaReady asks for the cluster's metadata: the port opens well before the broker serves.
func kafkaReady(ctx context.Context, address string) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(address))
	if err != nil {
		return err
	}
	defer client.Close()
	return client.Ping(ctx)
}

// kafkaJars answers the folder of the broker's jars and fetches them with Maven when it is not there. The folder
// appears whole or not at all: two sets that start at once both fetch, and the second finds the first one's.
func kafkaJars(ctx context.Context, base string) (string, error) {
	jars := filepath.Join(base, "kafka-"+kafkaVersion)
	if _, err := os.Stat(jars); err == nil {
		return jars, nil
	}
	mvn, err := find("mvn", "Maven, which fetches Kafka's jars (apt-get install maven)")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		return "", fmt.Errorf("create folder of jars: %w", err)
	}
	half, err := os.MkdirTemp(base, "fetching-")
	if err != nil {
		return "", fmt.Errorf("create folder of jars: %w", err)
	}
	defer os.RemoveAll(half)
	pom := filepath.Join(half, "pom.xml")
	if err := os.WriteFile(pom, kafkaPom, 0o644); err != nil {
		return "", fmt.Errorf("write pom: %w", err)
	}
	fetch := exec.CommandContext(ctx, mvn, "-q", "-B", "-f", pom, "-Dkafka.version="+kafkaVersion,
		"dependency:copy-dependencies", "-DoutputDirectory="+filepath.Join(half, "jars"))
	if out, err := fetch.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fetch Kafka's jars with Maven: %w: %s", err, bytes.TrimSpace(out))
	}
	if err := os.Rename(filepath.Join(half, "jars"), jars); err != nil {
		if _, there := os.Stat(jars); there != nil {
			return "", fmt.Errorf("keep jars: %w", err)
		}
	}
	return jars, nil
}
