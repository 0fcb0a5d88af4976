package tui

import "strings"

// The keys of the two-set Korean layout, by what they type and by the Latin
// letters on the same keys. Shift shows on the doubled ones only.
const (
	jamo  = "ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔㅁㄴㅇㄹㅎㅗㅓㅏㅣㅋㅌㅊㅍㅠㅜㅡㅃㅉㄸㄲㅆㅒㅖ"
	latin = "qwertyuiopasdfghjklzxcvbnmQWERTOP"
)

// latinKey is a key by its Latin letter, so that commands work while the input
// method stands on Hangul.
func latinKey(key string) string {
	if i := strings.Index(jamo, key); i >= 0 && key != "" {
		const bytesEach = 3
		if i/bytesEach < len(latin) && len(key) == bytesEach {
			return latin[i/bytesEach : i/bytesEach+1]
		}
	}
	return key
}
