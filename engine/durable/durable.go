// Package durable makes names last, and tells of a file by the name that it was
// to get. A file that was synced is safe from a power cut, but not its name: that
// is in its folder, which has to be synced, too. What has no name yet is in a
// private folder, which outlasts neither the work nor, for long, a kill. Who changes
// a folder by more than one step holds it meanwhile.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Folder makes the names in dir last: files and folders that were made, renamed
// or removed in it. Where the file system or the user cannot, nothing is done: a
// folder that may be written to need not be readable.
func Folder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}
