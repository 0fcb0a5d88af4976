package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// Server is a running Postgres.
type Server struct {
	dir  string // holds data, the socket and the log
	bin  string
	user *syscall.Credential // to run as; nil for oneself
	lock *os.File

	main *exec.Cmd
	done chan error // gets main's end
	stop chan struct{}
}

const (
	superuser    = "idem"
	startTimeout = 30 * time.Second
)

// Start makes a database cluster in a temporary folder and starts a server on
// it. As root it runs as user postgres, as Postgres refuses to be root.
func Start() (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin}
	if os.Getuid() == 0 {
		if s.user, err = postgresUser(); err != nil {
			return nil, err
		}
	}
	if s.dir, s.lock, err = makeFolder(s.user); err != nil {
		return nil, fmt.Errorf("pgtest: %w", err)
	}
	if err := s.initdb(); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	if err := s.run(); err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

// DSN is the connection string of a database of the server.
func (s *Server) DSN(database string) string {
	q := url.Values{"host": {s.dir}, "user": {superuser}}
	return "postgres:///" + database + "?" + q.Encode()
}

// Stop ends the server and removes its folder.
func (s *Server) Stop() error {
	return errors.Join(s.Kill(syscall.SIGINT), s.remove())
}

// Crash stops the server as a power cut would, but for the disk's own cache:
// nothing is flushed, no client is told. Then it starts it again.
func (s *Server) Crash() error {
	if err := s.Kill(syscall.SIGQUIT); err != nil {
		return err
	}
	return s.run()
}

// Kill ends the server by a signal, as pg_ctl does: SIGTERM waits for clients
// (smart), SIGINT does not (fast), SIGQUIT flushes nothing (immediate).
func (s *Server) Kill(signal syscall.Signal) error {
	if s.main == nil {
		return nil
	}
	if err := s.main.Process.Signal(signal); err != nil {
		return fmt.Errorf("pgtest: stop: %w", err)
	}
	<-s.done
	close(s.stop)
	s.main = nil
	return nil
}

// Run starts a server that Kill has ended.
func (s *Server) Run() error { return s.run() }

func (s *Server) remove() error {
	return errors.Join(os.RemoveAll(s.dir), s.lock.Close())
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) initdb() error {
	cmd := s.command("initdb", "--pgdata="+s.data(), "--username="+superuser, "--auth=trust",
		"--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("pgtest: initdb: %w\n%s", err, out)
	}
	return nil
}

func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: s.user}
	return cmd
}

// run starts the server and waits until it answers.
func (s *Server) run() error {
	s.main = s.command("postgres", "-D", s.data(), "-k", s.dir, "-c", "listen_addresses=",
		"-c", "max_connections=300", "-c", "fsync=on", "-c", "logging_collector=off")
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("pgtest: %w", err)
	}
	defer log.Close()
	s.main.Stdout, s.main.Stderr = log, log
	endWithParent(s.main.SysProcAttr)
	s.done, s.stop = make(chan error, 1), make(chan struct{})
	started := make(chan error, 1)
	go s.hold(started)
	if err := <-started; err != nil {
		s.main = nil
		return fmt.Errorf("pgtest: start postgres: %w", err)
	}
	return s.await()
}

// hold starts the server and stays on its thread: where the kernel ends a child
// with its parent, the parent is the thread.
func (s *Server) hold(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	main, done, stop := s.main, s.done, s.stop
	err := main.Start()
	started <- err
	if err != nil {
		return
	}
	go func() { done <- main.Wait() }()
	<-stop
}

func (s *Server) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.DSN("postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case end := <-s.done:
			s.main = nil
			return fmt.Errorf("pgtest: postgres ended: %w\n%s", end, s.log())
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("pgtest: postgres does not answer: %w\n%s", err, s.log()), s.Kill(syscall.SIGQUIT))
		}
	}
}

func (s *Server) log() []byte {
	text, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return []byte(err.Error())
	}
	lines := bytes.Split(text, []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-20):], []byte("\n"))
}

// binaries is the newest version's folder of Debian's package, or that of a
// postgres in PATH.
func binaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil {
		return "", err
	}
	newest, version := "", -1
	for _, path := range found {
		bin := filepath.Dir(path)
		if v, err := strconv.Atoi(filepath.Base(filepath.Dir(bin))); err == nil && v > version {
			newest, version = bin, v
		}
	}
	if newest != "" {
		return newest, nil
	}
	if path, err := exec.LookPath("postgres"); err == nil {
		return filepath.Dir(path), nil
	}
	return "", errors.New("pgtest: no Postgres here, and these tests need one: install Debian's package postgresql (apt-get install -y postgresql)")
}
