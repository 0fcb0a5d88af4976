package fleet

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"idem/engine/pgstore/pgtest"
)

func TestMain(m *testing.M) {
	if variant := os.Getenv(variantEnv); variant != "" {
		os.Exit(serveVariant(variant))
	}
	pgtest.Main(m)
}

func skipShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("leases are real time here; run without -short")
	}
}

// lease is so short that it lapses several times in a run.
const lease = time.Second

// TestThreeServers proves on the program itself that whatever happens to the
// servers and the database, a key makes one intent or one transfer, and what a
// client was told stays true.
func TestThreeServers(t *testing.T) {
	skipShort(t)
	program := filepath.Join(t.TempDir(), "idem")
	build := exec.Command("go", "build", "-o", program, "idem")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	f := newFleet(t, program, "")
	f.run([]step{
		{"kill -9", killAndRestart}, {"stop beyond the lease", stopBeyondLease}, {"crash of the database", crashDatabase},
		{"stop beyond the lease", stopBeyondLease}, {"kill -9", killAndRestart}, {"stop beyond the lease", stopBeyondLease},
	})
	// A worker that is stopped between its claim and its completion is likely,
	// not certain.
	for round := 0; round < 5 && f.counted[claimsLost] == 0; round++ {
		f.run([]step{{"stop beyond the lease", stopBeyondLease}})
	}
	f.settle()
	problems := append(f.check(), f.audit()...)
	t.Logf("%d keys, %d requests: %v", len(f.clients.keys()), f.clients.sent.Load(), f.counted)
	for _, p := range problems {
		t.Error(p)
	}
	for _, name := range []string{takeovers, claimsLost, replays} {
		if f.counted[name] == 0 {
			t.Errorf("%s is 0: the run proves nothing", name)
		}
	}
}

// TestWithoutFence runs the same against servers whose stale workers write
// without a tie between a key's life and its transfer: the run must notice.
func TestWithoutFence(t *testing.T) {
	f := newVariant(t, noFenceAndTie)
	problems := f.untilNoticed(func(problems string) bool { return strings.Contains(problems, "transfers for") })
	if problems == "" {
		t.Error("a store without a fence passes")
	}
	t.Logf("noticed: %.300s", problems)
}

// TestTieAlone runs the same with the tie left in place: it refuses the second
// transfer, or the worker that comes second fails. Nobody is paid twice.
func TestTieAlone(t *testing.T) {
	f := newVariant(t, noFence)
	problems := f.untilNoticed(func(problems string) bool {
		return f.refused.Load() > 0 || strings.Contains(problems, "answered 500")
	})
	if strings.Contains(problems, "transfers for") || strings.Contains(problems, "balances") {
		t.Errorf("paid twice in spite of the tie: %s", problems)
	}
	if f.refused.Load() == 0 && problems == "" {
		t.Error("no stale worker came: the run proves nothing")
	}
	t.Logf("%d refused by the tie; noticed: %.300s", f.refused.Load(), problems)
}

// newVariant is a fleet of this test binary.
func newVariant(t *testing.T, variant string) *fleet {
	t.Helper()
	skipShort(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return newFleet(t, self, variant)
}

// untilNoticed stops servers, one after the other, until what is wrong
// satisfies, and returns it.
func (f *fleet) untilNoticed(satisfies func(problems string) bool) (problems string) {
	for range 6 {
		f.run([]step{{"stop beyond the lease", stopBeyondLease}})
		if problems = strings.Join(f.check(), "\n"); satisfies(problems) {
			break
		}
	}
	return problems
}

// step is something bad that happens to server i or to the database.
type step struct {
	name string
	do   func(f *fleet, i int)
}

// run lets the clients send while the steps happen, each to the next server.
func (f *fleet) run(steps []step) {
	f.clients.start()
	defer f.clients.stop()
	for _, s := range steps {
		f.clients.answered(100) // so that the step meets requests that run
		f.t.Logf("%s, server %d", s.name, f.turn%len(f.servers))
		s.do(f, f.turn%len(f.servers))
		f.turn++
	}
	f.clients.answered(100)
	f.collect()
}

func killAndRestart(f *fleet, i int) {
	f.collect()
	f.servers[i].signal(syscall.SIGKILL)
	<-f.servers[i].ended
	f.clients.answered(50)
	f.servers[i] = f.startServer()
	f.clients.move(f.addrs())
}

func stopBeyondLease(f *fleet, i int) {
	f.servers[i].signal(syscall.SIGSTOP)
	time.Sleep(lease + lease/2) // the lease is real time to three processes
	f.clients.answered(50)
	f.servers[i].signal(syscall.SIGCONT)
}

func crashDatabase(f *fleet, _ int) {
	if err := f.db.Crash(); err != nil {
		f.t.Fatal(err)
	}
}

// fleet is three servers, a database and clients.
type fleet struct {
	t       *testing.T
	program string
	variant string // which store the test binary is to serve; "" for the program
	dir     string
	db      *pgtest.Server
	dsn     string
	servers []*process
	clients *clients
	counted map[string]float64
	turn    int          // whose turn the next step is
	refused atomic.Int64 // by the tie, in variants
}

const startBalance = 1_000_000

func newFleet(t *testing.T, program, variant string) *fleet {
	t.Helper()
	// Servers end with the thread that started them.
	runtime.LockOSThread()
	f := &fleet{t: t, program: program, variant: variant, dir: t.TempDir(), counted: map[string]float64{}}
	var err error
	if f.db, err = pgtest.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, s := range f.servers {
			s.signal(syscall.SIGKILL)
			<-s.ended
		}
		if err := f.db.Stop(); err != nil {
			t.Error(err)
		}
	})
	f.dsn = f.db.DSN("postgres") + "&pool_max_conns=6&lock_timeout=1000&idle_in_transaction_session_timeout=500"
	f.write("policy.json", fmt.Sprintf(`{"lease_seconds": %d}`, int(lease.Seconds())))
	f.write("accounts.json", fmt.Sprintf(`[{"acct_id":"a","holder":"","balance":%d},{"acct_id":"b","holder":"","balance":%d}]`, startBalance, startBalance))
	for range 3 {
		f.servers = append(f.servers, f.startServer())
	}
	f.clients = newClients(f.addrs())
	return f
}

func (f *fleet) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fleet) addrs() (addrs []string) {
	for _, s := range f.servers {
		addrs = append(addrs, s.addr)
	}
	return addrs
}
