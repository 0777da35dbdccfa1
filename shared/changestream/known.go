package changestream

import "strconv"

// known refuses kinds of change that the product has no meaning for (I7); the peer calls them UNKNOWN and goes on.
func known(r *DataChange) error {
	switch r.ModType {
	case Insert, Update, Delete:
	default:
		return &Undecodable{Field: "data_change_record.mod_type", Reason: "unknown kind " + strconv.Quote(string(r.ModType))}
	}
	switch r.ValueCapture {
	case OldAndNewValues, NewValues, NewRow, NewRowAndOldValues:
		return nil
	}
	return &Undecodable{Field: "data_change_record.value_capture_type", Reason: "unknown kind " + strconv.Quote(string(r.ValueCapture))}
}
