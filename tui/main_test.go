package tui

import (
	"os"
	"testing"

	"idem/fixtures/tidy"
)

func TestMain(m *testing.M) { os.Exit(tidy.Run(m)) }
