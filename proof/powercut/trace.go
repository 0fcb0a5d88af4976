package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// traced are the system calls that change files or tell somebody something, and
// those that move a file's position.
const traced = "open,openat,creat,lseek,read,write,writev,pwrite64,pwritev,ftruncate,truncate,fallocate," +
	"fsync,fdatasync,sync_file_range,unlink,unlinkat,rename,renameat,renameat2,link,linkat,mkdir,mkdirat,rmdir," +
	"copy_file_range,sendfile,splice,dup,dup2,dup3,close"

// call is one system call that succeeded.
type call struct {
	name string
	args []string
	ret  string
	// begin and end are the lines of the trace where it began and ended; between
	// them others may stand.
	begin, end int
}

// parse reads what strace -f -y -xx wrote, in the order in which the calls began.
func parse(in io.Reader) (calls []*call, err error) {
	lines := bufio.NewReaderSize(in, 1<<20)
	pending := map[string]*call{}
	for n := 0; ; n++ {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" {
			return succeeded(calls), nil
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		pid, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		rest = strings.TrimSpace(rest)
		switch {
		case strings.HasPrefix(rest, "+++") || strings.HasPrefix(rest, "---"):
		case strings.HasPrefix(rest, "<..."):
			c := pending[pid]
			if _, after, ok := strings.Cut(rest, "resumed>"); !ok || c == nil {
				return nil, fmt.Errorf("line %d resumes nothing: %.100s", n+1, rest)
			} else if err := c.finish(after, n); err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			delete(pending, pid)
		default:
			c := &call{begin: n, end: n}
			calls = append(calls, c)
			name, after, ok := strings.Cut(rest, "(")
			if c.name = name; !ok {
				return nil, fmt.Errorf("line %d is no call: %.100s", n+1, rest)
			}
			if before, unfinished := strings.CutSuffix(after, " <unfinished ...>"); unfinished {
				c.args = []string{before}
				pending[pid] = c
			} else if err := c.finish(after, n); err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
		}
	}
}

// finish reads the end of a call: the rest of its arguments and its result.
func (c *call) finish(text string, line int) error {
	end := strings.LastIndex(text, ") ")
	if end < 0 {
		return fmt.Errorf("a call without a result: %.100s", text)
	}
	all := strings.Join(c.args, "") + text[:end]
	c.args, c.end = strings.Split(all, ", "), line
	_, after, ok := strings.Cut(text[end:], "= ")
	if !ok {
		return fmt.Errorf("a call without a result: %.100s", text)
	}
	c.ret = after
	return nil
}

// succeeded leaves out what failed, and so changed nothing, and what a process
// that was killed did not come back from.
func succeeded(calls []*call) (list []*call) {
	for _, c := range calls {
		if c.ret != "" && !strings.HasPrefix(c.ret, "-1 ") && !strings.HasPrefix(c.ret, "?") {
			list = append(list, c)
		}
	}
	return list
}

// result is the number that a call gave back.
func (c *call) result() int64 { return leading(c.ret) }

// number is an argument that is one.
func (c *call) number(i int) int64 { return leading(c.args[i]) }

func leading(text string) int64 {
	end := strings.IndexFunc(text, func(r rune) bool { return (r < '0' || r > '9') && r != '-' })
	if end < 0 {
		end = len(text)
	}
	n, err := strconv.ParseInt(text[:end], 10, 64)
	if err != nil {
		return -1
	}
	return n
}

// bytes is an argument that is a text.
func (c *call) bytes(i int) ([]byte, error) {
	text, ok := strings.CutPrefix(c.args[i], `"`)
	text, whole := strings.CutSuffix(text, `"`)
	if !ok || !whole {
		return nil, fmt.Errorf("%s: argument %d is no whole text: %.60s", c.name, i, c.args[i])
	}
	return unhex(text)
}

func unhex(text string) ([]byte, error) {
	return hex.DecodeString(strings.ReplaceAll(text, `\x`, ""))
}

// of is the path of the file behind a descriptor, an argument or the result: what
// stands in angle brackets after it.
func of(text string) string {
	_, after, _ := strings.Cut(text, "<")
	inner, _, _ := strings.Cut(after, ">")
	path, err := unhex(inner)
	if err != nil {
		return inner // a pipe or a socket
	}
	return string(path)
}

// path is an argument that is a path, after one that is the folder it begins in.
func (c *call) path(dir string, i int) (string, error) {
	text, err := c.bytes(i)
	if err != nil {
		return "", err
	}
	if filepath.IsAbs(string(text)) {
		return filepath.Clean(string(text)), nil
	}
	return filepath.Join(dir, string(text)), nil
}
