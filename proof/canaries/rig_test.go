package canaries

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"idem/engine/httpidem"
	"idem/engine/pgstore"
)

// place is something that was said or written.
type place struct {
	name string
	text []byte
}

// rig runs the program in a folder of its own and keeps what it says.
type rig struct {
	t         *testing.T
	idem, dir string
	places    []place
	known     map[string]bool // files that were looked at, or are ours
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), known: map[string]bool{}}
	r.idem = filepath.Join(t.TempDir(), "idem")
	build := exec.Command("go", "build", "-o", r.idem, "idem")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.write("clients.json", fmt.Sprintf(`{"shop":[%q]}`, httpidem.HashCredential(string(credential))))
	r.write("accounts.json", `[{"acct_id":"A","holder":"a","balance":1000000},{"acct_id":"B","holder":"b","balance":0}]`)
	return r
}

// write makes a file of ours, which is not looked at.
func (r *rig) write(name, text string) {
	r.t.Helper()
	r.known[name] = true
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) saw(name string, text []byte) { r.places = append(r.places, place{name, text}) }

func (r *rig) size() (n int) {
	for _, p := range r.places {
		n += len(p.text)
	}
	return n
}

// files looks at every file that is new in the folder.
func (r *rig) files(what string) {
	r.t.Helper()
	err := filepath.WalkDir(r.dir, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(r.dir, path)
		if err != nil || d.IsDir() || r.known[name] {
			return err
		}
		r.known[name] = true
		text, err := os.ReadFile(path)
		r.saw(what+": "+name, text)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) command(args ...string) *exec.Cmd {
	cmd := exec.Command(r.idem, args...)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "TMPDIR="+r.dir, "XDG_STATE_HOME="+r.dir, "XDG_CONFIG_HOME="+r.dir)
	return cmd
}

// do runs a command with --debug and looks at what it says and writes; it may fail.
func (r *rig) do(what string, args ...string) {
	r.t.Helper()
	cmd := r.command(append(args, "--debug", strings.ReplaceAll(what, " ", "-")+fmt.Sprint(len(r.places))+".debug")...)
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		r.t.Fatal(err)
	}
	if out.Len()+told.Len() == 0 && len(args) > 0 && args[0] != "analyze" {
		r.t.Errorf("%s says nothing", what)
	}
	r.saw(what+": stdout", out.Bytes())
	r.saw(what+": stderr", told.Bytes())
	r.files(what)
}

// serve runs a payment API, sends it what clients send, and stops it.
func (r *rig) serve(what, store string, more ...string) {
	r.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	cmd := r.command(append([]string{"serve", "--addr", addr, "--store", store, "--clients", "clients.json", "--accounts", "accounts.json",
		"--debug", strings.ReplaceAll(what, " ", "-") + ".debug"}, more...)...)
	var out, told bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &told
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			break
		}
		if time.Now().After(until) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			r.t.Fatalf("%s does not serve\n%s", what, told.Bytes())
		}
	}
	r.requests(what, addr)
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); err != nil {
		r.t.Errorf("%s: %v\n%s", what, err, told.Bytes())
	}
	r.saw(what+": stdout", out.Bytes())
	r.saw(what+": log", told.Bytes())
	r.files(what)
}

// requests sends one of each kind, and looks at the replies.
func (r *rig) requests(what, addr string) {
	memo := fmt.Sprintf(`{"src":"A","dst":"B","amount":5,"currency":"KRW","memo":%q}`, body)
	for name, q := range map[string]struct{ method, path, auth, key, body string }{
		"1 paid":      {"POST", "/v1/transfers", "Bearer " + string(credential), "k", memo},
		"2 replayed":  {"POST", "/v1/transfers", "Bearer " + string(credential), "k", memo},
		"mismatch":    {"POST", "/v1/transfers", "Bearer " + string(credential), "k", memo + " "},
		"not JSON":    {"POST", "/v1/transfers", "Bearer " + string(credential), "k2", "{" + memo},
		"refused":     {"POST", "/v1/transfers", "Bearer " + string(refused), "k3", memo},
		"no bearer":   {"POST", "/v1/transfers", "Basic " + string(refused), "k4", memo},
		"two":         {"POST", "/v1/transfers", "Bearer " + string(refused) + ", Bearer " + string(credential), "k5", memo},
		"no key":      {"POST", "/v1/transfers", "Bearer " + string(credential), "", memo},
		"intent":      {"POST", "/v1/payment_intents", "Bearer " + string(credential), "k6", memo},
		"no such":     {"POST", "/v1/other?token=" + string(refused), "Bearer " + string(credential), "k7", memo},
		"read":        {"GET", "/v1/payment_intents/pi_x", "Bearer " + string(credential), "", ""},
		"metrics":     {"GET", "/metrics", "", "", ""},
		"readyz":      {"GET", "/readyz", "Bearer " + string(refused), "", ""},
		"policy":      {"GET", "/v1/idempotency_policy", "Bearer " + string(refused), "", ""},
		"large":       {"POST", "/v1/transfers", "Bearer " + string(credential), "k8", memo + strings.Repeat(" ", 2<<20)},
		"wrong money": {"POST", "/v1/transfers", "Bearer " + string(credential), "k9", strings.Replace(memo, "5", "-5", 1)},
	} {
		req, err := http.NewRequestWithContext(context.Background(), q.method, "http://"+addr+q.path, strings.NewReader(q.body))
		if err != nil {
			r.t.Fatal(err)
		}
		if q.auth != "" {
			req.Header.Set("Authorization", q.auth)
		}
		if q.key != "" {
			req.Header.Set("Idempotency-Key", q.key)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			r.t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			r.t.Fatal(err)
		}
		r.saw(what+": reply, "+name, fmt.Appendf(nil, "%s %v\n%s", resp.Status, resp.Header, text))
	}
}

// dump looks at every table of a payment API on Postgres.
func (r *rig) dump(name, dsn string) {
	var text bytes.Buffer
	err := pgstore.Dump(context.Background(), dsn, func(table string, row pgstore.Row) error {
		for _, v := range row {
			if b, ok := v.([]byte); ok {
				v = string(b)
			}
			fmt.Fprintln(&text, table, v)
		}
		return nil
	})
	if err != nil || text.Len() == 0 {
		r.t.Fatal(err)
	}
	r.saw(name, text.Bytes())
}

// dayOf sends a record through every command that reads an incident.
func (r *rig) dayOf(record string) {
	for what, args := range map[string][]string{
		"analyze":  {"analyze", record},
		"json":     {"analyze", record, "--json"},
		"findings": {"analyze", record, "--findings"},
		"replay":   {"replay", record, "--out", "report", "--lang", "ko,en,zh-Hant"},
		"whatif":   {"whatif", record},
		"open":     {record},
		"verify":   {"verify", "pay.db"},
	} {
		r.do(what, args...)
	}
}

// imports reads a gateway's log with a credential in it.
func (r *rig) imports() {
	text := fmt.Sprintf("POST /v1/payments HTTP/1.1\r\nHost: pay.example\r\nIdempotency-Key: k-01\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n", credential, 0)
	b := fmt.Sprintf(`{"amount":4999,"currency":"USD","src":"a","dst":"m","memo":%q}`, body)
	text = strings.Replace(text, "Content-Length: 0", fmt.Sprint("Content-Length: ", len(b)), 1) + b
	r.write("capture.gor", "1 932079936fa4306fc308d67588178d17d823647c 1773133200000000001 -1\n"+text+"\n🐵🙈🙉\n")
	r.write("transfers.csv", "transfer,req,time_utc,src,dst,amount_minor,currency\nt1,x,2026-03-10T09:00:00.800Z,a,m,4999,USD\n")
	r.do("import", "import", "--requests", "capture.gor", "--transfers", "transfers.csv", "--out", "imported.db")
	r.do("import dry", "import", "--requests", "capture.gor", "--transfers", "transfers.csv", "--out", "no.db", "--dry-run")
	r.do("imported", "analyze", "imported.db")
}

// connectionStrings are given where they belong and where they do not, right and
// wrong.
func (r *rig) connectionStrings(dsn string) {
	unreachable := "postgres://idem:" + string(password) + "@127.0.0.1:1/x?connect_timeout=2"
	for i, args := range [][]string{
		{"verify", dsn}, {"verify", unreachable}, {"verify", unreachable + "&sslmode=nonsense"},
		{"serve", "--store", unreachable}, {"serve", "--store", strings.Replace(unreachable, "postgres", "postgress", 1)},
		{"serve", "--store", strings.Replace(unreachable, ":1/", ":port/", 1)},
		{"serve", "--store", "host=h password=" + string(password)}, {"serve", "--store", dsn + "&synchronous_commit=off"},
		{"serve", "--clients", unreachable}, {"serve", unreachable},
		{"analyze", unreachable}, {unreachable}, {"replay", unreachable, "--out", "x"}, {"api", "--db", unreachable, "--request", unreachable},
		{"verify", "pay.db", "--head", unreachable}, {"import", "--requests", unreachable, "--out", "x.db"}, {"whatif", unreachable},
	} {
		r.do(fmt.Sprint("connection string ", i), args...)
	}
	r.write("plain.json", fmt.Sprintf(`{"shop":[%q]}`, refused))
	r.do("plain credential", "serve", "--clients", "plain.json", "--addr", "127.0.0.1:0")
}
