package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// processName is the host part of the worker id of a process that listens nowhere: its host and its process id.
func processName(id int) string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return fmt.Sprintf("%s-p%d", host, id)
}

// gone tells that the process behind a worker id made by processName on this host is no more. Killed and started again,
// its slots need not wait for their leases to run out. A process that is merely stopped is not gone; an id that was given
// to another process looks alive, and then the lease decides.
func gone(worker string) bool {
	name, _, err := net.SplitHostPort(worker)
	if err != nil {
		return false
	}
	at := strings.LastIndex(name, "-p")
	if at < 0 {
		return false
	}
	id, err := strconv.Atoi(name[at+2:])
	if err != nil || id <= 0 || name != processName(id) {
		return false
	}
	return errors.Is(syscall.Kill(id, 0), syscall.ESRCH)
}
