package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"idem/analysis"
	"idem/analysis/ingest"
	"idem/engine"
	"idem/tui"
)

var update = flag.Bool("update", false, "rewrite the README's blocks")

// The README's tables are those that the program goes by.
func TestReadmeBlocks(t *testing.T) {
	const path = "../README.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := text
	for _, block := range []struct{ name, body string }{
		{"columns", columnsBlock()}, {"policy", policyBlock()}, {"commands", commandsBlock()}, {"keys", tui.KeyTable()},
		{"settling", settlingBlock()}, {"formats", formatsBlock()}, {"classes", classesBlock(t)},
	} {
		want = fill(t, want, block.name, block.body)
	}
	if bytes.Equal(text, want) {
		return
	}
	if !*update {
		t.Fatal("the README's tables are not the program's: run go test ./cli -run Readme -update")
	}
	if err := os.WriteFile(path, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// fill puts a text between the markers of a block.
func fill(t *testing.T, text []byte, name, body string) []byte {
	t.Helper()
	begin, end := "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->"
	before, rest, ok1 := bytes.Cut(text, []byte(begin))
	_, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok1 || !ok2 {
		t.Fatalf("the README has no block %s", name)
	}
	return []byte(string(before) + begin + body + end + string(after))
}

func columnsBlock() string {
	var b strings.Builder
	b.WriteString("| table | column | also known as |\n|---|---|---|\n")
	for _, table := range analysis.Schema() {
		for _, c := range table.Columns {
			name := "`" + c.Name + "`"
			if c.Optional {
				name += " (optional)"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", table.Name, name, strings.Join(c.Synonyms, ", "))
		}
	}
	return b.String()
}

func policyBlock() string {
	var b strings.Builder
	b.WriteString("| member | default | what it is | values |\n|---|---|---|---|\n")
	for _, k := range engine.Knobs() {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", k.Name, k.Get(engine.DefaultPolicy()), k.Help, k.Bounds)
	}
	return b.String()
}

// The mapping file that the README shows is one.
func TestReadmeMapping(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, begun := strings.Cut(string(text), "```toml\n")
	shown, _, ended := strings.Cut(rest, "```")
	m, err := ingest.ParseMap([]byte(shown))
	if !begun || !ended || err != nil || m.Body.AmountUnit != "major" || len(m.Requests.Columns["key"]) != 1 {
		t.Errorf("%+v, %v of\n%s", m, err, shown)
	}
}

// settlingBlock are the flags that say which way of reading files is meant.
func settlingBlock() string {
	var b strings.Builder
	b.WriteString("| flag | what it says |\n|---|---|\n")
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(importOptions).settling(f)
	f.VisitAll(func(flag *pflag.Flag) {
		about, _, _ := strings.Cut(flag.Usage, "; requests: ")
		fmt.Fprintf(&b, "| `--%s` | %s |\n", flag.Name, about)
	})
	return b.String()
}

func formatsBlock() string {
	var b strings.Builder
	b.WriteString("| format | what it is | holds |\n|---|---|---|\n")
	for _, f := range ingest.Formats() {
		var roles []string
		for _, r := range f.Roles {
			roles = append(roles, string(r))
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, f.About, strings.Join(roles, ", "))
	}
	return b.String()
}

func commandsBlock() string {
	var b strings.Builder
	b.WriteString("| command | what it does |\n|---|---|\n| `idem [DB]` | the workbench; without DB on the lab's day |\n")
	for _, c := range newRoot(streams{}).Commands() {
		if c.Runnable() && c.Name() != "help" && c.Name() != "completion" {
			fmt.Fprintf(&b, "| `idem %s` | %s |\n", c.Use, c.Short)
		}
	}
	return b.String()
}
