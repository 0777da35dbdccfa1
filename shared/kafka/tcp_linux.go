package kafka

import (
	"context"
	"net"
	"syscall"
	"time"
)

// tcpUserTimeout is Linux's TCP_USER_TIMEOUT, which package syscall does not name.
const tcpUserTimeout = 0x12

// unacknowledged is how long the kernel waits for the other side to acknowledge what was sent. Without it a connection
// that a firewall forgot while the process was frozen keeps a first request waiting for its whole timeout (FN-01).
const unacknowledged = 8 * time.Second

func tcp(ctx context.Context, network, address string) (net.Conn, error) {
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		// Best effort: a kernel that refuses the option leaves the request timeout.
		return c.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(unacknowledged/time.Millisecond))
		})
	}}
	return d.DialContext(ctx, network, address)
}
