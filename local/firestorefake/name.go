package firestorefake

import (
	"strings"
	"unicode/utf8"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// maxID is the longest id of a document or a collection, in bytes.
const maxID = 1500

// target is the name of the document that a write is about; empty when the write is of a kind that is not known here.
func target(w *pb.Write) string {
	if name := w.GetDelete(); name != "" {
		return name
	}
	return w.GetUpdate().GetName()
}

// parent is the collection of a document's name, with everything before it.
func parent(name string) string { return name[:max(strings.LastIndexByte(name, '/'), 0)] }

// checkName holds a document's name to Firestore's rules
// (https://firebase.google.com/docs/firestore/quotas#collections_documents_and_fields): alternating ids of collections
// and documents, below the database of the request.
func checkName(database, name string) error {
	path, ok := strings.CutPrefix(name, database+"/documents/")
	if !ok {
		return status.Errorf(codes.InvalidArgument, "document name %q is not of database %q", name, database)
	}
	ids := strings.Split(path, "/")
	if len(ids)%2 != 0 {
		return status.Errorf(codes.InvalidArgument, "%q names a collection, not a document", path)
	}
	for _, id := range ids {
		if err := checkID(id); err != nil {
			return err
		}
	}
	return nil
}

// checkID refuses ids that Firestore refuses.
func checkID(id string) error {
	why := ""
	switch {
	case id == "":
		why = "is empty"
	case len(id) > maxID:
		why = "is longer than 1500 bytes"
	case !utf8.ValidString(id):
		why = "is not valid UTF-8"
	case id == "." || id == "..":
		why = "is . or .."
	case strings.HasPrefix(id, "__") && strings.HasSuffix(id, "__") && len(id) >= 4:
		why = "is reserved"
	}
	if why != "" {
		return status.Errorf(codes.InvalidArgument, "resource id %q is invalid because it %s", id, why)
	}
	return nil
}

// splitPath takes a field path apart: segments between dots, a segment in backquotes taken as it is. It is nil for one
// that is not well formed.
func splitPath(path string) []string {
	var segments []string
	var segment strings.Builder
	quoted, empty := false, true
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case c == '`':
			quoted, empty = !quoted, false
		case c == '\\' && quoted && i+1 < len(path):
			i++
			segment.WriteByte(path[i])
		case c == '.' && !quoted:
			if empty {
				return nil
			}
			segments = append(segments, segment.String())
			segment.Reset()
			empty = true
		default:
			segment.WriteByte(c)
			empty = false
		}
	}
	if quoted || empty {
		return nil
	}
	return append(segments, segment.String())
}
