package spannerfake

import (
	"context"
	"net"
	"strconv"
	"sync"

	"google.golang.org/grpc/peer"
)

// conns are the open connections by an address of their own, because those of an in-process listener share one. They
// are kept so that a fault can cut the connection that a call came by.
type conns struct {
	mu   sync.Mutex
	next int
	open map[string]net.Conn
}

// cut closes the connection that a call came by.
func (c *conns) cut(ctx context.Context) {
	p, ok := peer.FromContext(ctx)
	if !ok {
		return
	}
	c.mu.Lock()
	conn := c.open[p.Addr.String()]
	c.mu.Unlock()
	if conn != nil {
		_ = conn.Close() // it is being cut; how it ends does not matter
	}
}

// tracked is a listener whose connections are known.
type tracked struct {
	net.Listener
	conns *conns
}

func (t *tracked) Accept() (net.Conn, error) {
	conn, err := t.Listener.Accept()
	if err != nil {
		return nil, err
	}
	t.conns.mu.Lock()
	defer t.conns.mu.Unlock()
	t.conns.next++
	known := &trackedConn{Conn: conn, conns: t.conns, addr: connAddr(strconv.Itoa(t.conns.next))}
	if t.conns.open == nil {
		t.conns.open = make(map[string]net.Conn)
	}
	t.conns.open[known.addr.String()] = conn
	return known, nil
}

type trackedConn struct {
	net.Conn
	conns *conns
	addr  connAddr
}

func (c *trackedConn) RemoteAddr() net.Addr { return c.addr }

func (c *trackedConn) Close() error {
	c.conns.mu.Lock()
	delete(c.conns.open, c.addr.String())
	c.conns.mu.Unlock()
	return c.Conn.Close()
}

type connAddr string

func (connAddr) Network() string  { return "spannerfake" }
func (a connAddr) String() string { return string(a) }
