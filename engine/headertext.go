package engine

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// bytesMark is the third element of a header line whose text is no UTF-8: HTTP
// allows any byte there and JSON does not, so each byte stands as the code point
// of its number.
const bytesMark = "bytes"

// HeaderText writes header lines in their order as JSON, as databases keep them:
// [[name, value], ...]; "" for none.
func HeaderText(fields []Field) string {
	if len(fields) == 0 {
		return ""
	}
	lines := make([][]string, len(fields))
	for i, f := range fields {
		lines[i] = []string{f.Name, f.Value}
		if !utf8.ValidString(f.Name) || !utf8.ValidString(f.Value) {
			lines[i] = []string{codePoints(f.Name), codePoints(f.Value), bytesMark}
		}
	}
	text, err := json.Marshal(lines)
	if err != nil {
		panic("engine: strings do not marshal: " + err.Error())
	}
	return string(text)
}

// ParseHeaderText is the inverse of [HeaderText]. It fails with [ErrDamaged] on
// what that does not write.
func ParseHeaderText(text string) ([]Field, error) {
	if text == "" {
		return nil, nil
	}
	var lines [][]string
	if err := json.Unmarshal([]byte(text), &lines); err != nil {
		return nil, fmt.Errorf("%w: header: %w", ErrDamaged, err)
	}
	fields := make([]Field, len(lines))
	for i, line := range lines {
		switch {
		case len(line) == 2:
			fields[i] = Field{Name: line[0], Value: line[1]}
		case len(line) == 3 && line[2] == bytesMark:
			fields[i] = Field{Name: rawBytes(line[0]), Value: rawBytes(line[1])}
		default:
			return nil, fmt.Errorf("%w: header: line %d has %d parts", ErrDamaged, i+1, len(line))
		}
	}
	return fields, nil
}

func codePoints(s string) string {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

func rawBytes(s string) string {
	var raw []byte
	for _, r := range s {
		raw = append(raw, byte(r))
	}
	return string(raw)
}
