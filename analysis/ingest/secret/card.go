package secret

// cardNumber finds the next card number in b from a position on: 13 to 19
// digits, parted by single blanks or hyphens or not at all, that begin like a
// card scheme's and pass Luhn's check. Neither a digit nor a letter stands
// beside it, and no decimal point follows or precedes.
func cardNumber(b []byte, at int) (from, to int, ok bool) {
	for i := at; i < len(b); {
		if b[i]-'0' > 9 {
			i++
			continue
		}
		end, digits := run(b, i)
		if digits >= 13 && digits <= 19 && alone(b, i, end) && grouped(b[i:end]) && isCard(b[i:end]) {
			return i, end, true
		}
		i = end
	}
	return 0, 0, false
}

// run is the end of the digits that begin at i, and their number.
func run(b []byte, i int) (end, digits int) {
	end = i
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c-'0' <= 9:
			digits++
			end = i + 1
		case (c == ' ' || c == '-') && i == end:
		default:
			return end, digits
		}
	}
	return end, digits
}

func alone(b []byte, from, to int) bool {
	if from > 0 && (isWord(b[from-1]) || b[from-1] == '.' || isSign(b, from-1)) {
		return false
	}
	return to == len(b) || !isWord(b[to]) && (b[to] != '.' || to+1 == len(b) || b[to+1]-'0' > 9)
}

// grouped reports whether digits are parted as on a card, if they are: fours, or
// four, six and the rest. A UUID is not.
func grouped(b []byte) bool {
	var sizes []int
	size := 0
	for _, c := range b {
		if c-'0' <= 9 {
			size++
			continue
		}
		sizes = append(sizes, size)
		size = 0
	}
	for i, s := range sizes {
		if s != 4 && (i != 1 || s != 6 || len(sizes) != 2) {
			return false
		}
	}
	return len(sizes) == 0 || size <= 4 || len(sizes) == 2 && sizes[1] == 6 && size == 5
}

// isSign: a hyphen that joins nothing to the number makes it negative.
func isSign(b []byte, i int) bool { return b[i] == '-' && (i == 0 || !isWord(b[i-1])) }

func isWord(c byte) bool {
	return c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80
}

// isCard checks the beginning and the check digit of 13 to 19 digits.
func isCard(b []byte) bool {
	d := bareDigits(b)
	return scheme(d) && luhn(d)
}

// scheme reports whether digits begin as issuer numbers of a card scheme do
// (ISO/IEC 7812): 4, 50 to 69, 30, 34 to 39, 2200 to 2204, 2221 to 2720. Times
// since 1970 in milliseconds or nanoseconds begin with 1.
func scheme(d []byte) bool {
	two := int(d[0]-'0')*10 + int(d[1]-'0')
	four := two*100 + int(d[2]-'0')*10 + int(d[3]-'0')
	switch {
	case d[0] == '4', two >= 50 && two <= 69, two == 30, two >= 34 && two <= 39:
		return len(d) > 13 || d[0] == '4'
	}
	return four >= 2200 && four <= 2204 || four >= 2221 && four <= 2720
}

// luhn is the check of ISO/IEC 7812-1 annex B.
func luhn(d []byte) bool {
	sum := 0
	for i := range d {
		n := int(d[len(d)-1-i] - '0')
		if i%2 == 1 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}
