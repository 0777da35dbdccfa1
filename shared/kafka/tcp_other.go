//go:build !linux

package kafka

import (
	"context"
	"net"
)

func tcp(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	return d.DialContext(ctx, network, address)
}
