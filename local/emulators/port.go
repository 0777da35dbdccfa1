package emulators

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
)

// Ports are taken from below the range that systems use for outgoing connections (Linux starts at 32768), so that no
// client's own socket takes the port of a service between its kill and its restart.
const lowPort, highPort = 20000, 32000

// freeAddresses answers n different loopback addresses that nobody listens on now. Somebody else may take one before
// the service does; Start then chooses again.
func freeAddresses(n int) ([]string, error) {
	var addresses []string
	var held []net.Listener
	defer func() {
		for _, listener := range held {
			_ = listener.Close() // it only kept the port from being chosen twice
		}
	}()
	for range 200 {
		if len(addresses) == n {
			return addresses, nil
		}
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowPort+rand.IntN(highPort-lowPort)))
		if listener, err := net.Listen("tcp", address); err == nil {
			held = append(held, listener)
			addresses = append(addresses, address)
		}
	}
	return nil, errors.New("find free ports on 127.0.0.1 between 20000 and 32000: none in 200 tries")
}
