package cli

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"idem/analysis/findings"
)

// classesBlock is a line for each class of findings, made of the comment in the
// file of the class: a paragraph on what it is, and one on what proves it, which
// ends in its blind spot.
func classesBlock(t *testing.T) string {
	t.Helper()
	comments := classComments(t)
	var b strings.Builder
	b.WriteString("| class | sure at most | what it is | what shows it | blind spot |\n|---|---|---|---|---|\n")
	for _, class := range findings.Classes() {
		what, rest, ok := strings.Cut(comments[class], "\n\n")
		_, what, named := strings.Cut(what, ": ")
		proof, blind, said := cutBlindSpot(rest)
		if !ok || !named || !said {
			t.Errorf("the comment of %s does not say what it is, what shows it and where it is blind:\n%s", class, comments[class])
			continue
		}
		sure := class.Surest().String()
		if class.Surest() == 0 {
			sure = "accuses nobody"
			proof = strings.TrimPrefix(proof, "It accuses no transfer.") // the column before says so
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", class, sure, cell(what), cell(proof), cell(blind))
	}
	return b.String()
}

// cutBlindSpot parts "... Blind spot: ..." and "...: blind spot is ...".
func cutBlindSpot(text string) (proof, blind string, ok bool) {
	parts := regexp.MustCompile(`(?i)[:.]?\s*blind\s+spot(:| is)\s+`).Split(text, 2)
	if len(parts) != 2 {
		return "", "", false
	}
	return strings.TrimSpace(parts[0]) + ".", parts[1], true
}

var classLink = regexp.MustCompile(`\[(\w+)\]`)

// cell is a text as a cell of a table: one line, links as the names they show.
func cell(text string) string {
	line := strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
	line = classLink.ReplaceAllString(line, "$1")
	line = strings.TrimSuffix(line, "..")
	if line == "" || line == "." {
		return ""
	}
	return strings.ToUpper(line[:1]) + line[1:]
}

// classComments are the comments of the constants of class_*.go.
func classComments(t *testing.T) map[findings.Class]string {
	t.Helper()
	files, err := filepath.Glob("../analysis/findings/class_*.go")
	if err != nil || len(files) != len(findings.Classes()) {
		t.Fatalf("%d files of %d classes, %v", len(files), len(findings.Classes()), err)
	}
	comments, names := map[findings.Class]string{}, map[string]findings.Class{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST && g.Doc != nil {
				spec := g.Specs[0].(*ast.ValueSpec)
				if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Class" {
					value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
					if err != nil {
						t.Fatal(err)
					}
					names[spec.Names[0].Name] = findings.Class(value)
					comments[findings.Class(value)] = g.Doc.Text()
				}
			}
		}
	}
	for class, text := range comments {
		comments[class] = classLink.ReplaceAllStringFunc(text, func(link string) string {
			if other, ok := names[strings.Trim(link, "[]")]; ok {
				return "`" + string(other) + "`"
			}
			return link
		})
	}
	return comments
}
