package changestream

import "slices"

// layout is where the fields that decoding knows stand in a struct. It is compiled once per query, so that the order of
// fields may change and fields may be added without a release of the product.
type layout struct {
	path  string
	names []string
	at    []int // by known field; -1: the service does not send it
}

// compile finds the known fields of a struct. A field that is absent and whose name is not in optional is *Undecodable.
func compile(path string, s Shape, names []string, optional ...string) (layout, error) {
	l := layout{path: path, names: names, at: make([]int, len(names))}
	for i, name := range names {
		l.at[i] = s.index(name)
		if l.at[i] < 0 && !slices.Contains(optional, name) {
			return l, &Undecodable{Field: path + "." + name, Reason: "the service does not send it"}
		}
	}
	return l, nil
}

// The known fields of each struct, in the order of the constants below.
var (
	kindNames = []string{"data_change_record", "heartbeat_record", "child_partitions_record"}
	dataNames = []string{"commit_timestamp", "record_sequence", "server_transaction_id", "is_last_record_in_transaction_in_partition",
		"table_name", "column_types", "mods", "mod_type", "value_capture_type", "number_of_records_in_transaction",
		"number_of_partitions_in_transaction", "transaction_tag", "is_system_transaction"}
	columnNames    = []string{"name", "type", "is_primary_key", "ordinal_position"}
	modNames       = []string{"keys", "new_values", "old_values"}
	heartbeatNames = []string{"timestamp"}
	childrenNames  = []string{"start_timestamp", "record_sequence", "child_partitions"}
	childNames     = []string{"token", "parent_partition_tokens"}
)

const (
	ofData = iota
	ofHeartbeat
	ofChildren
)

const (
	dataCommit = iota
	dataSequence
	dataTransaction
	dataLast
	dataTable
	dataColumns
	dataMods
	dataModType
	dataCapture
	dataRecords
	dataPartitions
	dataTag
	dataSystem
)

const (
	columnName = iota
	columnType
	columnKey
	columnOrdinal
)

const (
	modKeys = iota
	modNew
	modOld
)

const (
	childrenStart = iota
	childrenSequence
	childrenList
)

const (
	childToken = iota
	childParents
)
