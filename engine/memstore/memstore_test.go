package memstore_test

import (
	"testing"

	"idem/engine"
	"idem/engine/memstore"
	"idem/engine/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, storetest.Factory{New: func(testing.TB) engine.Store { return memstore.New() }})
}

func BenchmarkStore(b *testing.B) { storetest.Bench(b, memstore.New()) }
