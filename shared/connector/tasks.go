package connector

// How many tasks there are.
var taskKeys = []Key{
	{Name: "tasks.max", Family: Source, Type: Int, Default: new("10"), Importance: High, Width: Narrow, Group: "Connector", Order: 44,
		Display: "Max Tasks", Check: taskCount, Doc: "Most tasks this connector may have; exactly this many when scaling is off."},
	{Name: "tasks.min", Family: Source, Type: Int, Default: new("2"), Importance: High, Width: Narrow, Group: "Connector", Order: 45,
		Display: "Min Tasks", Check: taskCount, Doc: "Fewest tasks when scaling is on."},
	{Name: "tasks.desired.partitions", Family: Source, Type: Int, Default: new("2"), Importance: High, Width: Narrow, Group: "Connector", Order: 46,
		Display: "Desired partitions per task", Check: positive, Doc: "Partitions that one task should hold; scaling adds and removes tasks to come near it."},
	{Name: "tasks.fail.overloaded", Family: Source, Type: Boolean, Default: new("false"), Importance: Low, Width: Narrow, Group: "Connector", Order: 47, Idle: true,
		Display: "Fail Overloaded Task", Doc: "Accepted for compatibility: partitions are assigned evenly, so no task has to fail to shed some."},
	{Name: "tasks.fail.overloaded.check.interval", Family: Source, Type: Long, Default: new("5000"), Importance: Low, Width: Narrow, Group: "Connector", Order: 48, Idle: true,
		Display: `Check Interval for "Fail Overloaded Task"`, Doc: "Accepted for compatibility."},
	{Name: "scaler.monitor.enabled", Family: Source, Type: Boolean, Default: new("false"), Importance: Medium, Width: Narrow, Group: "Connector", Order: 49,
		Display: "Scaler monitor enabled", Doc: "Whether the number of tasks follows the number of partitions."},
	{Name: "logging.json.enabled", Family: Source, Type: Boolean, Default: new("false"), Importance: Medium, Width: Narrow, Group: "Connector", Order: 50, Idle: true,
		Display: "Logging json enabled", Doc: "Accepted for compatibility; logs are structured anyway."},
}

var sluiceKeys = []Key{
	{Name: "sluice.slice.mode", Family: Sluice, Type: String, Default: new("auto"), Importance: Medium, Width: Narrow, Group: "Sluice", Order: 1,
		Display: "Slice mode", Check: oneOf("auto", "poll", "tail"), Recommend: []string{"auto", "poll", "tail"}, Doc: "poll reads up to now and goes; tail stays and follows a busy stream; auto chooses by how busy it is."},
	{Name: "sluice.lease.duration.ms", Family: Sluice, Type: Long, Default: new("30000"), Importance: Low, Width: Narrow, Group: "Sluice", Order: 2,
		Display: "Lease duration (ms)", Check: between(1_000, 600_000), Doc: "How long a task may be silent before another may take its place. Renewed at a third of it."},
	{Name: "sluice.key.order", Family: Sluice, Type: String, Default: new("debezium-hash"), Importance: Medium, Width: Middle, Group: "Sluice", Order: 3,
		Display: "Key field order", Check: oneOf("debezium-hash", "primary-key"), Recommend: []string{"debezium-hash", "primary-key"}, Doc: "Order of the fields in a record's key. debezium-hash keeps the bytes, and so the Kafka partition, of an existing topic; primary-key is the order of the table's key."},
	{Name: "sluice.heartbeat.per.mod", Family: Sluice, Type: Boolean, Default: new("false"), Importance: Low, Width: Narrow, Group: "Sluice", Order: 4,
		Display: "Heartbeat per change", Doc: "Whether each change is followed by a heartbeat record, as the peer does; otherwise only an idle partition sends them."},
	{Name: "sluice.rpc.priority", Family: Sluice, Type: String, Default: new("MEDIUM"), Importance: Low, Width: Narrow, Group: "Sluice", Order: 5,
		Display: "Spanner request priority", Check: oneOfFold("LOW", "MEDIUM", "HIGH"), Recommend: []string{"LOW", "MEDIUM", "HIGH"}, Doc: "Priority that Spanner gives to the reads of the stream."},
}
