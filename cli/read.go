package cli

import (
	"fmt"
	"io"
)

// readUpTo reads all of r, at most most bytes.
func readUpTo(r io.Reader, most int64) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, fmt.Errorf("larger than %d bytes", most)
	}
	return text, nil
}
