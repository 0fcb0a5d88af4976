package money

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAmounts(t *testing.T) {
	point, comma, open := Notation{'.'}, Notation{','}, Notation{}
	for _, c := range []struct {
		in   string
		exp  int
		n    Notation
		want int64
		err  error
	}{
		{"4999", 0, open, 4999, nil},
		{"4999.00", 0, open, 4999, nil},
		{"4999.5", 0, open, 0, ErrFiner},
		{"49.99", 2, open, 4999, nil},
		{"49.9", 2, open, 4990, nil},
		{"49", 2, open, 4900, nil},
		{"49.990", 2, open, 4999, nil},
		{"49.995", 2, open, 0, ErrFiner},
		{"1.23456", 5, open, 123456, nil},
		{"-0.50", 2, open, -50, nil},
		{"+7", 2, open, 700, nil},
		{" 7 ", 2, open, 700, nil},
		{".5", 2, open, 50, nil},
		{"0,01", 2, open, 0, ErrMark},
		{"1,234.50", 2, open, 0, ErrMark},
		{"1.234.567", 2, open, 0, ErrMark},
		{"1,234.50", 2, point, 123450, nil},
		{"1,234", 2, point, 123400, nil},
		{"12,34", 2, point, 0, ErrForm},
		{"1.234,50", 2, comma, 123450, nil},
		{"1 234,50", 2, comma, 123450, nil},
		{"1\u00a0234,50", 2, comma, 123450, nil},
		{"1'234,5", 2, comma, 123450, nil},
		{"1.234", 2, comma, 123400, nil},
		{"0,01", 2, comma, 1, nil},
		{"9223372036854775807", 0, open, 9223372036854775807, nil},
		{"9223372036854775808", 0, open, 0, ErrOverflow},
		{"92233720368547758.07", 2, open, 9223372036854775807, nil},
		{"92233720368547758.08", 2, open, 0, ErrOverflow},
		{"-9223372036854775808", 0, open, 0, ErrOverflow},
		{strings.Repeat("9", 400), 0, open, 0, ErrOverflow},
		{"0" + strings.Repeat("0", 400) + "7", 0, open, 7, nil},
		{"NaN", 0, open, 0, ErrForm},
		{"Infinity", 0, open, 0, ErrForm},
		{"1e3", 0, open, 0, ErrForm},
		{"0x10", 0, open, 0, ErrForm},
		{"--1", 0, open, 0, ErrForm},
		{"", 0, open, 0, ErrForm},
		{"-", 0, open, 0, ErrMark},
		{".", 0, open, 0, ErrMark},
		{"$5", 2, open, 0, ErrForm},
	} {
		got, err := Major([]byte(c.in), c.exp, c.n)
		if got != c.want || !errors.Is(err, c.err) || (c.err == nil) != (err == nil) {
			t.Errorf("%.30q: %d, %v; want %d, %v", c.in, got, err, c.want, c.err)
		}
	}
}

// TestMajorIsExact compares with big rationals.
func TestMajorIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := fmt.Sprintf("%s%d.%s", rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign"),
			rapid.Uint64().Draw(t, "whole"), rapid.StringMatching(`[0-9]{1,6}`).Draw(t, "fraction"))
		exponent := rapid.IntRange(0, 5).Draw(t, "exponent")
		want, _ := new(big.Rat).SetString(text)
		want.Mul(want, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil)))
		got, err := Major([]byte(text), exponent, Notation{})
		fits := want.IsInt() && want.Num().IsInt64() && want.Num().Int64() != -1<<63
		if (err == nil) != fits || fits && want.Num().Int64() != got {
			t.Fatalf("%s x 10^%d: %d, %v; want %s", text, exponent, got, err, want)
		}
	})
}

func TestExponents(t *testing.T) {
	adyen := Exceptions{"CLP": 2, "ISK": 2}
	paypal := Exceptions{"*": 2}
	for _, c := range []struct {
		x    Exceptions
		code string
		want int
	}{{nil, "JPY", 0}, {nil, "USD", 2}, {nil, "KWD", 3}, {nil, "CLP", 0}, {adyen, "CLP", 2}, {adyen, "JPY", 0}, {paypal, "JPY", 2}} {
		if got, err := c.x.Exponent(c.code); err != nil || got != c.want {
			t.Errorf("%s: %d, %v", c.code, got, err)
		}
	}
	if _, err := Exceptions(nil).Exponent("USDC"); !errors.Is(err, ErrCurrency) {
		t.Error(err)
	}
	for in, want := range map[string]string{"usd": "USD", "Usd": "USD", "USD": "USD", "usdc": "usdc", "us1": "us1", "": ""} {
		if got := string(Code([]byte(in))); got != want {
			t.Errorf("%s: %s", in, got)
		}
	}
}

// TestStandard: amounts in a provider's own minor units become those of ISO 4217.
func TestStandard(t *testing.T) {
	for _, c := range []struct {
		provider, code string
		in, want       int64
		err            error
	}{
		{"stripe", "ISK", 50000, 500, nil},
		{"stripe", "ISK", 50050, 0, ErrFiner},
		{"stripe", "MGA", 5, 500, nil},
		{"stripe", "USD", 4999, 4999, nil},
		{"adyen", "CLP", -100, -1, nil},
		{"adyen", "IDR", 12, 1200, nil},
		{"adyen", "IDR", 1 << 62, 0, ErrOverflow},
		{"paypal", "JPY", 10000, 100, nil},
		{"paypal", "KWD", 12345, 123450, nil},
		{"paypal", "USDC", 7, 7, nil},
		{"nobody", "CLP", 7, 7, nil},
		{"nobody", "???", 7, 7, nil},
	} {
		got, err := Provider(c.provider).Standard(c.in, c.code)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s %s %d: %d, %v", c.provider, c.code, c.in, got, err)
		}
	}
	if d, err := Provider("adyen").Decimals("CLP"); d != 0 || err != nil {
		t.Error(d, err)
	}
	if _, err := Provider("adyen").Decimals("XYZ"); !errors.Is(err, ErrCurrency) {
		t.Error(err)
	}
}
