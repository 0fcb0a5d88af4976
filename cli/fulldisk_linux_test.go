package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAFullDisk: each command that writes a file fails, names the file that it was
// asked for, and leaves nothing half.
func TestAFullDisk(t *testing.T) {
	room, small := t.TempDir(), t.TempDir()
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("no right to mount a small disk: ", err)
	}
	defer syscall.Unmount(small, 0)
	run := func(args ...string) (int, string) {
		var told bytes.Buffer
		code := Main(args, strings.NewReader(""), new(bytes.Buffer), &told)
		return code, told.String()
	}
	lab := filepath.Join(room, "lab.db")
	if code, told := run("gen", "--out", lab); code != exitDone {
		t.Fatal(told)
	}
	request := filepath.Join(room, "request.json")
	api := filepath.Join(small, "api.db")
	for path, text := range map[string]string{
		request:                      `{"client_id":"c","endpoint":"/t","idem_key":"k","body":{"src":"acc-01","dst":"acc-02","amount":1,"currency":"KRW"}}`,
		filepath.Join(small, "fill"): strings.Repeat("x", 40_000),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	accounts, err := os.ReadFile(lab)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"g.db", []string{"gen", "--out", filepath.Join(small, "g.db"), "--requests", "500", "--keys", "400"}},
		{"day.db", []string{"replay", lab, "--out", filepath.Join(small, "out")}},
		{"refunds", []string{"analyze", lab, "--refunds", filepath.Join(small, "lists")}},
		{"dup.json", []string{"analyze", lab, "--out", filepath.Join(small, "dup.json")}},
	} {
		code, told := run(c.args...)
		if code != exitFailed || !strings.Contains(told, c.name) || strings.Contains(told, ".tmp") {
			t.Errorf("idem %q ends with %d and tells %q", c.args, code, told)
		}
	}
	if left, err := os.ReadDir(small); err != nil || len(left) != 1 {
		t.Errorf("left behind %v, %v", left, err)
	}
	if err := os.Remove(filepath.Join(small, "fill")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(api, accounts, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, told := run("api", "--db", api, "--request", request); code != exitFailed || !strings.Contains(told, "no room") {
		t.Errorf("idem api ends with %d and tells %q", code, told)
	}
}
