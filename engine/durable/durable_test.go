package durable

import (
	"path/filepath"
	"testing"
)

// TestFolder: that a power cut leaves the names is shown by idem/proof/powercut;
// here is what must not fail.
func TestFolder(t *testing.T) {
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "gone")} {
		if err := Folder(dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
}
