package cli

import (
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

var update = flag.Bool("update", false, "rewrite the blocks of the README and of docs")

// The tables of the README and of docs are those that the program goes by.
func TestReadmeBlocks(t *testing.T) {
	for path, blocks := range map[string]map[string]string{
		"../README.md":        {"columns": columnsBlock(), "policy": policyBlock(), "commands": commandsBlock(), "keys": tui.KeyList()},
		"../docs/import.md":   {"settling": settlingBlock(), "formats": formatsBlock()},
		"../docs/findings.md": {"classes": classesBlock(t)},
		"../docs/keys.md":     {"keys": tui.KeyTable()},
	} {
		text := page(t, path)
		want := text
		for name, body := range blocks {
			want = fill(t, want, name, body)
		}
		switch {
		case want == text:
		case !*update:
			t.Errorf("the tables of %s are not the program's: run go test ./cli -run Readme -update", path)
		default:
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func page(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fill puts a text between the markers of a block.
func fill(t *testing.T, text, name, body string) string {
	t.Helper()
	begin, end := "<!-- "+name+":begin -->\n", "<!-- "+name+":end -->"
	before, rest, ok1 := strings.Cut(text, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("there is no block %s", name)
	}
	return before + begin + body + end + after
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

// The mapping file that docs/import.md shows is one.
func TestReadmeMapping(t *testing.T) {
	_, rest, begun := strings.Cut(page(t, "../docs/import.md"), "```toml\n")
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
