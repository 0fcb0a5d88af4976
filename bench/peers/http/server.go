package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/middleware/idempotency"
	"golang.org/x/sys/unix"

	"idem/engine/httpidem"
	"idem/engine/memstore"
)

// serverEnv names the server that a process is to be.
const serverEnv = "BENCH_HTTP_SERVER"

var reply = bytes.Repeat([]byte("y"), 1<<10)

// order is what the handler makes of a body.
type order struct {
	Src, Dst, Currency string
	Amount             int64
}

func (o *order) read(body []byte) bool {
	return json.Unmarshal(body, o) == nil && o.Src != o.Dst && o.Amount > 0 && o.Currency != ""
}

// pay is the handler, bare and behind the layer alike.
func pay(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !new(order).read(body) {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	answer(w)
}

// idle reads its body because the layer reads it, too.
func idle(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	answer(w)
}

func answer(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_, _ = w.Write(reply)
}

// serve serves until its standard input ends, which it does with the parent.
func serve(name string) error {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(ln.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	if strings.HasPrefix(name, "fiber") {
		return payFiber(name == "fiber").Listener(ln, fiber.ListenConfig{DisableStartupMessage: true})
	}
	var h http.Handler = http.HandlerFunc(pay)
	if strings.HasPrefix(name, "idle") {
		h = http.HandlerFunc(idle)
	}
	if strings.HasSuffix(name, "idem") {
		layer, err := httpidem.New(memstore.New(), httpidem.Options{})
		if err != nil {
			return err
		}
		h = layer.Wrap(h)
	}
	return http.Serve(ln, h)
}

func payFiber(protected bool) *fiber.App {
	app := fiber.New()
	if protected {
		app.Use(idempotency.New(idempotency.Config{
			Lifetime: time.Hour, KeyHeaderValidate: func(string) error { return nil },
		}))
	}
	app.Post("/pay", func(c fiber.Ctx) error {
		if !new(order).read(c.Body()) {
			return c.SendStatus(http.StatusBadRequest)
		}
		c.Set("Content-Type", "application/json")
		return c.Status(http.StatusCreated).Send(reply)
	})
	return app
}

// process is a server in a process of its own.
type process struct {
	cmd  *exec.Cmd
	in   io.Closer
	addr string
}

func start(server string) (*process, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverEnv+"="+server)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, in: in}
	if _, err := fmt.Fscanln(out, &p.addr); err != nil {
		p.stop()
		return nil, fmt.Errorf("start %s: %w", server, err)
	}
	return p, nil
}

func (p *process) stop() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

// cpu is what the process has used so far. On a machine that others use, too, it
// says more than the clock.
func (p *process) cpu() (time.Duration, error) {
	// The clock of another process, clock_getcpuclockid(3): scheduled time.
	clock := int32(^p.cmd.Process.Pid)<<3 | 2
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0, fmt.Errorf("read CPU time: %w", err)
	}
	return time.Duration(t.Nano()), nil
}
