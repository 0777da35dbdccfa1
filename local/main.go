// Command sluice is the whole product in one process: the REST API, the workers and the scheduler, any set of them, on
// real services or on embedded stand-ins; and the tools around it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := command().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sluice:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "sluice",
		Short:         "Kafka Connect for Cloud Spanner change streams, without the cluster",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(runCommand(), consumeCommand())
	root.SetArgs(dashes(os.Args[1:]))
	return root
}

// dashes lets long flags be written with one dash as well, as Go's own flags are: -roles is --roles.
func dashes(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		if len(a) > 2 && a[0] == '-' && a[1] >= 'a' && a[1] <= 'z' && a[2] != '=' {
			a = "-" + a
		}
		out[i] = a
	}
	return out
}
