package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"cloud.google.com/go/spanner"
	database "cloud.google.com/go/spanner/admin/database/apiv1"
	"cloud.google.com/go/spanner/admin/database/apiv1/databasepb"
	instance "cloud.google.com/go/spanner/admin/instance/apiv1"
	"cloud.google.com/go/spanner/admin/instance/apiv1/instancepb"
)

// The demo: a shop whose orders come, change and go, and a connector that watches it.
const (
	demoProject  = "demo"
	demoInstance = "demo"
	demoDatabase = "shop"
	demoStream   = "everything"
	demoName     = "demo"
	demoEvery    = 200 * time.Millisecond
)

// demo makes the shop and its connector, then writes until ctx ends.
func demo(ctx context.Context, _ *embedded, address string, say *progress) error {
	if err := demoShop(ctx); err != nil {
		return fmt.Errorf("make the demo database: %w", err)
	}
	client, err := spanner.NewClientWithConfig(ctx, fmt.Sprintf("projects/%s/instances/%s/databases/%s", demoProject, demoInstance, demoDatabase),
		spanner.ClientConfig{DisableNativeMetrics: true})
	if err != nil {
		return err
	}
	defer client.Close()
	err = create(ctx, address, connectorFile{name: demoName, config: map[string]any{
		"name":                              demoName,
		"connector.class":                   "io.debezium.connector.spanner.SpannerConnector",
		"gcp.spanner.project.id":            demoProject,
		"gcp.spanner.instance.id":           demoInstance,
		"gcp.spanner.database.id":           demoDatabase,
		"gcp.spanner.change.stream":         demoStream,
		"gcp.spanner.emulator.host":         os.Getenv("SPANNER_EMULATOR_HOST"),
		"heartbeat.interval.ms":             "1000",
		"tasks.max":                         "2",
		"value.converter":                   "org.apache.kafka.connect.json.JsonConverter",
		"value.converter.schemas.enable":    "false",
		"key.converter":                     "org.apache.kafka.connect.json.JsonConverter",
		"key.converter.schemas.enable":      "false",
		"gcp.spanner.low-watermark.enabled": "true",
	}})
	if err != nil {
		return fmt.Errorf("create the demo connector: %w", err)
	}
	say.done("demo: connector %s writes to topic %s.Orders; try `bin/sluice consume %s.Orders` and curl %s/connectors/%s/status", demoName, demoName, demoName, address, demoName)

	tick := time.NewTicker(demoEvery)
	defer tick.Stop()
	for n := int64(1); ; n++ {
		if _, err := client.Apply(ctx, order(n), spanner.TransactionTag("app=demo")); err != nil {
			return err
		}
		say.count("demo: %d changes written", n)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// order is the n-th change: most make an order, some change one, a few delete one.
func order(n int64) []*spanner.Mutation {
	id := n - 1 - rand.Int64N(min(n, 10))
	switch {
	case n%10 == 9:
		return []*spanner.Mutation{spanner.Delete("Orders", spanner.Key{max(id, 1)})}
	case n%3 == 2:
		return []*spanner.Mutation{spanner.InsertOrUpdate("Orders", []string{"OrderId", "Status", "UpdatedAt"}, []any{max(id, 1), "SHIPPED", time.Now().UTC()})}
	}
	return []*spanner.Mutation{spanner.InsertOrUpdate("Orders", []string{"OrderId", "Customer", "Status", "Quantity", "UpdatedAt"},
		[]any{n, []string{"Anne", "Björn", "Chloé", "大輔"}[n%4], "NEW", 1 + n%5, time.Now().UTC()})}
}

// demoShop makes instance, database, table and change stream.
func demoShop(ctx context.Context) error {
	instances, err := instance.NewInstanceAdminClient(ctx)
	if err != nil {
		return err
	}
	defer instances.Close()
	made, err := instances.CreateInstance(ctx, &instancepb.CreateInstanceRequest{
		Parent: "projects/" + demoProject, InstanceId: demoInstance,
		Instance: &instancepb.Instance{Config: "projects/" + demoProject + "/instanceConfigs/local", DisplayName: "Demo", NodeCount: 1},
	})
	if err != nil {
		return err
	}
	if _, err := made.Wait(ctx); err != nil {
		return err
	}
	databases, err := database.NewDatabaseAdminClient(ctx)
	if err != nil {
		return err
	}
	defer databases.Close()
	ddl, err := databases.CreateDatabase(ctx, &databasepb.CreateDatabaseRequest{
		Parent:          fmt.Sprintf("projects/%s/instances/%s", demoProject, demoInstance),
		CreateStatement: "CREATE DATABASE " + demoDatabase,
		ExtraStatements: []string{
			`CREATE TABLE Orders (OrderId INT64 NOT NULL, Customer STRING(100), Status STRING(20), Quantity INT64, UpdatedAt TIMESTAMP) PRIMARY KEY (OrderId)`,
			`CREATE CHANGE STREAM ` + demoStream + ` FOR ALL OPTIONS (value_capture_type = 'OLD_AND_NEW_VALUES')`,
		},
	})
	if err != nil {
		return err
	}
	_, err = ddl.Wait(ctx)
	return err
}
