package envelope

import "sync"

// uids count the data records of each partition, for the header by which consumers know a data record. The zero value
// is ready; it is safe for concurrent use.
type uids struct {
	mu   sync.Mutex
	next map[string]uint64 // by partition token
}

// take reserves n numbers of a partition and returns the first.
func (u *uids) take(token string, n int) uint64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.next == nil {
		u.next = make(map[string]uint64)
	}
	first := u.next[token]
	u.next[token] = first + uint64(n)
	return first
}

func (u *uids) restart(token string) {
	u.mu.Lock()
	delete(u.next, token)
	u.mu.Unlock()
}

// uidText writes a number to base 26 with the digits a to z, eight of them: aaaaaaaa, aaaaaaab, …, aaaaaaaz, aaaaaaba.
func uidText(n uint64) string {
	var b [16]byte
	at := len(b)
	for n > 0 || len(b)-at < 8 {
		at--
		b[at] = 'a' + byte(n%26)
		n /= 26
	}
	return string(b[at:])
}

// Restart lets the numbers of a partition begin anew, as they do whenever a task begins to read it. It also forgets the
// partition: call it when the partition is given up.
func (m *Maker) Restart(token string) { m.uids.restart(token) }
