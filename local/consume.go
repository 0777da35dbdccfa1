package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"sluice.example/shared/app"
	"sluice.example/shared/kafka"
)

func consumeCommand() *cobra.Command {
	var worker, bootstrap string
	var newest bool
	var limit int
	cmd := &cobra.Command{
		Use:   "consume TOPIC",
		Short: "Print what a read_committed consumer of a topic sees",
		Long: `Prints one JSON object a line for each record: partition, offset, key, value, headers. Values that are JSON are printed as
they are, others as text. Without -bootstrap, CONNECT_BOOTSTRAP_SERVERS or a worker file, the broker of a local
"sluice run" is asked.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			props, err := app.LoadProperties(worker, os.Environ())
			if err != nil {
				return err
			}
			if bootstrap != "" {
				props.Values["bootstrap.servers"] = bootstrap
			}
			props.Default("bootstrap.servers", embeddedKafka, "the embedded broker")
			k, err := kafka.New(props.Values, kafka.Options{Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				return err
			}
			defer k.Close()
			left := limit
			err = k.Consume(cmd.Context(), args[0], !newest, func(r kafka.Consumed) error {
				if err := printRecord(cmd.OutOrStdout(), r); err != nil {
					return err
				}
				if left--; left == 0 {
					return errEnough
				}
				return nil
			})
			if errors.Is(err, errEnough) || errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		},
	}
	cmd.Flags().StringVar(&worker, "worker", "", "worker properties file with the broker's address and security")
	cmd.Flags().StringVar(&bootstrap, "bootstrap", "", "address of the broker, host:port")
	cmd.Flags().BoolVar(&newest, "newest", false, "only records that come from now on")
	cmd.Flags().IntVarP(&limit, "limit", "n", 0, "end after this many records; 0: never")
	return cmd
}

var errEnough = errors.New("enough records")

func printRecord(out io.Writer, r kafka.Consumed) error {
	line := struct {
		Partition int32             `json:"partition"`
		Offset    int64             `json:"offset"`
		Key       any               `json:"key"`
		Value     any               `json:"value"`
		Headers   map[string]string `json:"headers,omitempty"`
	}{r.Partition, r.Offset, readable(r.Key), readable(r.Value), make(map[string]string)}
	for _, h := range r.Headers {
		line.Headers[h.Key] = string(h.Value)
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(line); err != nil {
		return err
	}
	_, err := fmt.Fprint(out, b.String())
	return err
}

// readable is JSON as it is, other bytes as text, null as null.
func readable(b []byte) any {
	switch {
	case b == nil:
		return nil
	case json.Valid(b):
		return json.RawMessage(b)
	}
	return string(b)
}
