package analysis

import (
	"context"
	"testing"
)

func TestDuplicatesOfTheLab(t *testing.T) {
	in := open(t, lab(t))
	d, err := in.Duplicates(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.Requests != 120 || d.UniqueKeys != 100 || d.ExtraTransfers != 20 || d.DuplicateKeys != 18 || len(d.Groups) != 18 || d.Transfers != 120 {
		t.Fatalf("%+v", d)
	}
}
