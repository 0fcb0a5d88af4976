package cli

import "testing"

func TestMasked(t *testing.T) {
	for text, want := range map[string]string{
		"open postgres://u:s3:cret@h/db?x=1: no":              "open postgres://u:…@h/db?x=1: no",
		"postgres:///db?password=s3cret&x=1 and host=h":       "postgres:///db?password=…&x=1 and host=h",
		`host=h password = 's3 \' cret' user=u`:               `host=h password = … user=u`,
		"sslpassword=a PASSWORD=b":                            "sslpassword=… PASSWORD=…",
		"no secret: http://127.0.0.1:8080/x@y, 10:30@noon, a": "no secret: http://127.0.0.1:8080/x@y, 10:30@noon, a",
		"the password is wrong":                               "the password is wrong",
	} {
		if got := masked(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}
