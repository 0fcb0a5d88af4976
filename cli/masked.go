package cli

import "regexp"

// passwords are where a connection string has one: in a URL's user part, and as
// a setting in a URL's query or in the keyword form.
var passwords = []struct {
	at   *regexp.Regexp
	mask string
}{
	{regexp.MustCompile(`(://[^:/?#@\s]*):[^@/?#\s]*@`), "$1:…@"},
	{regexp.MustCompile(`(?i)(\b(?:ssl)?password\s*=\s*)('(?:[^'\\]|\\.)*'|[^\s&"]*)`), "$1…"},
}

// masked is a text without the passwords of connection strings: an error may
// repeat an argument, and whoever gets the log must not get the database.
func masked(text string) string {
	for _, p := range passwords {
		text = p.at.ReplaceAllString(text, p.mask)
	}
	return text
}
