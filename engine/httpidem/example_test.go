package httpidem_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"idem/engine"
	"idem/engine/httpidem"
	"idem/engine/memstore"
)

// Any handler becomes safe to retry. What it changes goes into OnComplete.
func Example() {
	pay := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpidem.OnComplete(r.Context(), func(ctx context.Context, tx engine.Tx, _ http.ResponseWriter) error {
			return tx.PutDocument(ctx, "order", "1001", []byte(`{"paid":true}`))
		})
		w.WriteHeader(http.StatusCreated)
	})
	layer, err := httpidem.New(memstore.New(), httpidem.Options{})
	if err != nil {
		panic(err)
	}
	handler := layer.Wrap(pay) // http.ListenAndServe(addr, handler)

	for _, body := range []string{"100", "100", "200"} {
		r := httptest.NewRequest("POST", "/orders/1001/pay", strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer secret")
		r.Header.Set("Idempotency-Key", "order-1001")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Printf("%d replayed=%q\n", w.Code, w.Header().Get("Idempotent-Replayed"))
	}
	// Output:
	// 201 replayed=""
	// 201 replayed="true"
	// 422 replayed=""
}
