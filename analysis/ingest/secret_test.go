package ingest

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestNoSecretInTheIncident looks for secrets in every byte of the file, wherever
// they stood in the sources: bodies, keys, notes, references, rejected rows.
func TestNoSecretInTheIncident(t *testing.T) {
	const pan, cvv, token = "4111111111111111", "7a7", "sk_live_51H"
	requests := "id,received_at,client,path,key,note,body\n" +
		"r1," + nine + ",Bearer " + token + ",/pay?access_token=" + token + ",pay-" + "4111 1111 1111 1111,card " + pan + ",\"{\"\"pan\"\":\"\"" + pan + "\"\",\"\"cvv\"\":\"\"" + cvv + "\"\"}\"\n" +
		"r2," + nine + ",bearer " + token + ",/pay,k,,card[number]=" + pan + "&card[cvc]=" + cvv + "\n" +
		"r3,never,shop,/pay,k,,\"{\"\"cvv\"\":\"\"" + cvv + "\"\",\"\"x\"\":\"\"" + pan + "\"\"}\"\n" +
		"r4,\"" + pan + "\"x,{\"\"cvv\"\":\"\"" + cvv + "\"\"}\n"
	transfers := "transfer_id,req,created_at,src,dst,amount_minor,currency,reference\nt1,r1," + nine + "," + pan + ",m,5,USD,for " + pan + "\n"
	o := Options{PseudonymKey: []byte("k")}
	r, path := imported(t, o, []string{requests}, []string{transfers})
	if r.Requests != 2 || r.Secrets == 0 {
		t.Fatalf("%+v", r)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{pan, "4111 1111", cvv, token} {
		if i := bytes.Index(file, []byte(secret)); i >= 0 {
			t.Errorf("%q is in the file: %q", secret, file[max(0, i-60):i+40])
		}
	}
	clients := rows(t, path, "SELECT DISTINCT client_id FROM req_log")
	if len(clients) != 1 || !strings.HasPrefix(clients[0], "credential_") {
		t.Errorf("one credential is %q", clients)
	}

	o.KeepSecrets = true
	if _, path = imported(t, o, []string{requests}, []string{transfers}); !contains(t, path, cvv) || !contains(t, path, token) {
		t.Error("secrets that were to be kept are gone")
	}
}

func contains(t *testing.T, path, text string) bool {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(file, []byte(text))
}
