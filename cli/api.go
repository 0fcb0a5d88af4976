package cli

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"idem/analysis"
	"idem/engine"
	"idem/engine/fault"
	"idem/engine/sqlitestore"
	"idem/engine/sqlitestore/sqlfile"
)

type apiOptions struct {
	db, request, now, purgeBefore string
	crash, nowGiven               bool
	policy                        policyFlag
}

func newAPI(s streams) *cobra.Command {
	var o apiOptions
	cmd := &cobra.Command{
		Use:   "api --db DB --request FILE",
		Short: "Execute one payment request against a database, once a key",
		Long: `api executes one request against a database that holds account(acct_id,
holder, balance) and prints one JSON object: status, replay, reason, body. What
else it needs in the database is created. A business refusal is an answer, not
an error: the exit code is 0.`,
		Example: `  idem api --db bank.db --request request.json
  idem api --db bank.db --request - < request.json
  idem api --db bank.db --purge-before 2026-03-10T00:00:00Z`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.nowGiven = cmd.Flags().Changed("now")
			return runAPI(cmd.Context(), s, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.db, "db", "", "database with the accounts")
	f.StringVar(&o.request, "request", "", "file with the request, - for standard input")
	f.StringVar(&o.now, "now", "", "instant of the request (RFC 3339) instead of the present one")
	f.StringVar(&o.purgeBefore, "purge-before", "", "instead of a request: delete completed keys and lapsed claims made before this instant (RFC 3339)")
	f.BoolVar(&o.crash, "crash-after-claim", false, "commit the claim, move nothing and end with exit code 70")
	o.policy.register(f)
	return cmd
}

func runAPI(ctx context.Context, s streams, o apiOptions) error {
	now, err := o.validate()
	if err != nil {
		return err
	}
	policy, err := o.policy.load(engine.DefaultPolicy())
	if err != nil {
		return err
	}
	if o.purgeBefore != "" {
		return purge(ctx, s, o, now)
	}
	request, refused, err := readRequest(s, o.request)
	if err != nil {
		return err
	}
	if refused != nil {
		if err := mustExist(o.db); err != nil {
			return err
		}
		return printJSON(s, engine.AnswerOf(refused.Reply(), false))
	}
	answer, err := execute(ctx, o, policy, request, now)
	if err != nil {
		return err
	}
	if err := fault.Point(fault.BeforeReply); err != nil {
		return err
	}
	return printJSON(s, answer)
}

// validate checks the flags and gives the request's instant.
func (o apiOptions) validate() (time.Time, error) {
	now := time.Now().UTC()
	switch {
	case o.db == "":
		return now, usageError("--db is missing: name the database")
	case (o.request == "") == (o.purgeBefore == ""):
		return now, usageError("give either --request FILE or --purge-before INSTANT")
	case o.crash && o.purgeBefore != "":
		return now, usageError("--crash-after-claim is for a request, not for a purge")
	case !o.nowGiven:
		return now, nil
	}
	return instant("--now", o.now)
}

func instant(flag, text string) (time.Time, error) {
	t, err := analysis.ParseInstant(text)
	if err != nil {
		return t, usageError("%s is %q: must be an RFC 3339 instant between 1678 and 2261, such as 2026-03-10T09:00:00Z", flag, text)
	}
	return t, nil
}

func readRequest(s streams, path string) (engine.Request, *engine.Refusal, error) {
	var text []byte
	var err error
	if path == "-" {
		text, err = readUpTo(s.in, maxRequest)
	} else {
		text, err = readLimited(path, maxRequest)
	}
	if err != nil {
		return engine.Request{}, nil, unreadable("read request: %w", err)
	}
	request, refused, err := engine.ParseCall(text)
	if err != nil {
		return engine.Request{}, nil, unreadable("read request %s: %w", path, err)
	}
	return request, refused, nil
}

// mustExist keeps a mistyped name from becoming a new, empty database.
func mustExist(db string) error {
	info, err := os.Stat(db)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return unreadable("database %s does not exist; it must hold account(acct_id, holder, balance)", db)
	case err != nil:
		return unreadable("database: %w", err)
	case info.IsDir():
		return unreadable("database %s is a directory", db)
	}
	return nil
}

func openLive(ctx context.Context, db string) (*sqlitestore.Store, error) {
	if err := mustExist(db); err != nil {
		return nil, err
	}
	store, err := sqlitestore.Open(ctx, db, sqlitestore.Options{NoCreate: true})
	switch {
	case diskFull(err):
		return nil, fmt.Errorf("open database %s: there is no room for the tables that it lacks; make some: %w", db, err)
	case errors.Is(err, engine.ErrUnavailable), errors.Is(err, sqlitestore.ErrSchema):
		return nil, unreadable("open database %s: %w", db, err)
	case err != nil:
		return nil, fmt.Errorf("open database %s: %w", db, err)
	}
	return store, nil
}

// diskFull reports whether SQLite found no room: a failure, and no fault of the file.
func diskFull(err error) bool {
	var e *sqlfile.Error
	return errors.As(err, &e) && e.Primary() == sqlfile.Full
}

// execute takes one request through the engine: claim, then effect and record in
// one transaction.
func execute(ctx context.Context, o apiOptions, policy engine.Policy, request engine.Request, now time.Time) (answer engine.Answer, err error) {
	claim, err := policy.Claim(request, now)
	if err != nil {
		return answer, err
	}
	live, err := openLive(ctx, o.db)
	store, err := ofScope(ctx, live, err, policy, now)
	if err != nil {
		return answer, err
	}
	defer func() {
		if closing := store.Close(); err == nil && closing != nil {
			err = fmt.Errorf("close database: %w", closing)
		}
	}()
	verdict, err := store.Claim(ctx, claim, policy)
	switch {
	case err != nil:
		return answer, fmt.Errorf("claim key: %w", err)
	case verdict.Outcome != engine.Fresh:
		return verdict.Answer(policy), nil
	case o.crash:
		fmt.Fprintln(os.Stderr, "idem: crashed after the claim, as asked: the key is in progress and nothing moved")
		os.Exit(exitCrash) // a crash closes nothing
	}
	return complete(ctx, store, policy, request, verdict.Record, now)
}

func complete(ctx context.Context, store engine.Store, policy engine.Policy, request engine.Request, claimed engine.Record, now time.Time) (engine.Answer, error) {
	order, refused, err := engine.ParseOrder(request.Body)
	if err != nil {
		return engine.Answer{}, err
	}
	id := newTransferID()
	reply := engine.Reply{}
	completion := engine.Completion{Key: claimed.Key, Fence: claimed.Fence, Now: now}
	_, settlement, err := store.Complete(ctx, completion, policy, func(ctx context.Context, tx engine.Tx) (_ engine.Reply, err error) {
		if refused != nil {
			reply = refused.Reply()
			return reply, nil
		}
		reply, err = engine.Pay(ctx, tx, order, id, now)
		return reply, err
	})
	if err != nil {
		return engine.Answer{}, fmt.Errorf("complete request: %w", err)
	}
	if settlement == engine.Lost {
		return engine.LostAnswer(policy), nil
	}
	return engine.AnswerOf(reply, false), nil
}

// newTransferID is random: an id made from a key would come back when the key
// does.
func newTransferID() string {
	var b [12]byte
	rand.Read(b[:])
	return "tr_" + hex.EncodeToString(b[:])
}

func purge(ctx context.Context, s streams, o apiOptions, now time.Time) error {
	cutoff, err := instant("--purge-before", o.purgeBefore)
	if err != nil {
		return err
	}
	store, err := openLive(ctx, o.db)
	if err != nil {
		return err
	}
	defer store.Close()
	n, err := store.Purge(ctx, cutoff, now, math.MaxInt32)
	if err != nil {
		return fmt.Errorf("purge: %w", err)
	}
	return printJSON(s, struct {
		Purged int `json:"purged"`
	}{n})
}

func printJSON(s streams, v any) error {
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
