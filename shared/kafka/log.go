package kafka

import (
	"context"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kgo"
)

// clientLog passes what the client library says to slog. Everything it calls an error comes back to the caller as one, so
// here it is for whoever debugs, except a warning of its own making.
type clientLog struct{ log *slog.Logger }

func (l clientLog) Level() kgo.LogLevel {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		return kgo.LogLevelInfo
	}
	return kgo.LogLevelNone
}

func (l clientLog) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	l.log.Debug("kafka client: "+msg, append([]any{"client_level", level.String()}, keyvals...)...)
}
