package secret

// Names of members, headers and parameters whose value is a secret, without
// hyphens, underscores and blanks, in lower case.
var (
	dropped = []string{"cvv", "cvc", "cvv2", "cvc2", "cvn", "cid", "csc", "securitycode", "cardverificationvalue",
		"cardsecuritycode", "pin", "pinblock", "password", "passwd", "secret", "clientsecret", "privatekey",
		"cookie", "setcookie", "track1", "track2", "trackdata", "magstripe"}
	credentials = []string{"authorization", "proxyauthorization", "xapikey", "apikey", "accesstoken", "refreshtoken",
		"bearertoken", "sessiontoken"}
	cards = []string{"pan", "cardnumber", "primaryaccountnumber", "accountpan"}
)

// verdict is what becomes of the value behind a name.
type verdict int

const (
	keep verdict = iota
	drop
	credential
	card
)

var verdicts = map[string]verdict{}

// lengths has a bit for every length of a plain name in verdicts, by its first
// letter: nearly every name is told to be none by that alone.
var lengths ['z' + 1]uint64

func init() {
	for v, list := range map[verdict][]string{drop: dropped, credential: credentials, card: cards} {
		for _, name := range list {
			verdicts[name] = v
			lengths[name[0]] |= 1 << len(name)
		}
	}
}

// judge looks a name up, whatever its case and punctuation.
func judge(name []byte) verdict {
	var plain [64]byte
	n := 0
	for _, c := range name {
		switch {
		case c == '-' || c == '_' || c == ' ':
			continue
		case c-'A' < 26:
			c |= 0x20
		}
		if n == len(plain) {
			return keep
		}
		plain[n] = c
		n++
	}
	if n == 0 || plain[0] > 'z' || lengths[plain[0]]>>n&1 == 0 {
		return keep
	}
	return verdicts[string(plain[:n])]
}
