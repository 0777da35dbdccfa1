package spannerdb

import (
	"bytes"
	"context"
	"encoding/binary"

	"cloud.google.com/go/spanner/apiv1/spannerpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The emulator gives every part of a change stream's answer one and the same resume token
// ("dummy_resume_token_for_change_streams_on_emulator", seen on the wire). The client gives out rows only when a token it has
// not seen yet has come, so it would hold everything after the first row back until the query ends, which a live query
// does not. distinctTokens makes each token one of its own.
//
// Such a token resumes nothing: the emulator would start the query again and repeat its rows. So a request that carries one
// is refused here, with a code that the client does not retry; the reader's caller asks anew from what it has.
func distinctTokens(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer,
	opts ...grpc.CallOption) (grpc.ClientStream, error) {
	s, err := streamer(ctx, desc, cc, method, opts...)
	if err != nil {
		return nil, err
	}
	return &distinct{ClientStream: s}, nil
}

// mark stands at the end of a token that was made distinct, before its number.
var mark = []byte("\x00sluice\x00")

type distinct struct {
	grpc.ClientStream
	last  []byte
	count uint64
}

// RecvMsg implements grpc.ClientStream. Only one goroutine receives.
func (d *distinct) RecvMsg(m any) error {
	err := d.ClientStream.RecvMsg(m)
	part, ok := m.(*spannerpb.PartialResultSet)
	if err != nil || !ok || len(part.ResumeToken) == 0 {
		return err
	}
	if !bytes.Equal(part.ResumeToken, d.last) {
		d.last = part.ResumeToken
		return nil
	}
	d.count++
	part.ResumeToken = binary.BigEndian.AppendUint64(append(bytes.Clone(d.last), mark...), d.count)
	return nil
}

// SendMsg implements grpc.ClientStream.
func (d *distinct) SendMsg(m any) error {
	if q, ok := m.(*spannerpb.ExecuteSqlRequest); ok && bytes.Contains(q.ResumeToken, mark) {
		return status.Error(codes.Aborted, "the emulator cannot resume a broken query")
	}
	return d.ClientStream.SendMsg(m)
}
