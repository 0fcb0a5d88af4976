package verify

import (
	"errors"
	"fmt"
	"strings"

	"idem/engine"
)

// Head is the end of a chain: how many transfers it seals, and the seal.
type Head struct {
	N    int64       `json:"n"`
	Seal engine.Seal `json:"hash"`
}

// ErrHead: a text is no head.
var ErrHead = errors.New("not a head of idem verify")

// headForm is the text of a head: one line, so that it can be kept in a mail, a
// ticket or on paper.
const headForm = "idem-chain-1 %d %s\n"

// Text is the head as it is kept in a file.
func (h Head) Text() string { return fmt.Sprintf(headForm, h.N, h.Seal) }

// ParseHead is the inverse of [Head.Text]; it fails with [ErrHead].
func ParseHead(text string) (h Head, err error) {
	var digits string
	if _, err := fmt.Sscanf(text, headForm, &h.N, &digits); err != nil {
		return Head{}, ErrHead
	}
	if h.Seal, err = engine.ParseSealText(digits); err != nil || h.N < 0 || h.Text() != strings.TrimRight(text, "\r\n")+"\n" {
		return Head{}, ErrHead
	}
	return h, nil
}
