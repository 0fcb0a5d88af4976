package cli

import (
	"context"

	"github.com/spf13/pflag"

	"idem/analysis"
)

// narrowFlags narrow an incident to a part of it, on every command that looks at
// one, with one meaning: that of [analysis.Incident.Narrow].
type narrowFlags struct {
	from, to, client, endpoint, account string
}

// aboutNarrowing is what the help of such a command says of the flags.
const aboutNarrowing = `--from, --to, --client, --endpoint and --account narrow the incident to a part of the
day. Requests of one key are never parted: a key is there with all its sends and
transfers when one of them meets each condition. A transfer without its request
stands alone. Accounts open with what they had when the part begins; what hidden
payments bring them later they have from the start. Findings are looked for in the
whole day: those are told that touch the part.`

func (o *narrowFlags) register(f *pflag.FlagSet) {
	f.StringVar(&o.from, "from", "", "narrow to what came at or after this instant (RFC 3339)")
	f.StringVar(&o.to, "to", "", "narrow to what came before this instant (RFC 3339)")
	f.StringVar(&o.client, "client", "", "narrow to this client")
	f.StringVar(&o.endpoint, "endpoint", "", "narrow to this endpoint")
	f.StringVar(&o.account, "account", "", "narrow to this account, payer or payee")
}

// filter reads the flags.
func (o *narrowFlags) filter() (analysis.Filter, error) {
	x := analysis.Filter{Client: o.client, Endpoint: o.endpoint, Account: o.account}
	var err error
	if o.from != "" {
		if x.From, err = analysis.ParseInstant(o.from); err != nil {
			return x, usageError("--from: %w", err)
		}
	}
	if o.to != "" {
		if x.To, err = analysis.ParseInstant(o.to); err != nil {
			return x, usageError("--to: %w", err)
		}
	}
	if !x.From.IsZero() && !x.To.IsZero() && !x.From.Before(x.To) {
		return x, usageError("--from %s is not before --to %s: nothing lies between", o.from, o.to)
	}
	return x, nil
}

// withPart opens an incident, or the part of it that was asked for, for the
// length of a call: see [withIncident].
func withPart(ctx context.Context, path string, o narrowFlags, do func(*analysis.Incident) error) error {
	filter, err := o.filter()
	if err != nil {
		return err
	}
	return withIncident(ctx, path, func(in *analysis.Incident) error {
		part, err := in.Narrow(ctx, filter)
		if err != nil {
			return err
		}
		defer part.Close()
		return do(part)
	})
}
