package importer

import (
	"strconv"
	"strings"
)

// parseSeconds reads a decimal number of seconds, such as 1767621256.903, exactly;
// digits behind the ninth of the fraction are dropped.
func parseSeconds(s string) (ns int64, ok bool) {
	whole, fraction, point := strings.Cut(s, ".")
	if whole == "" || point && fraction == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(whole+(fraction + "000000000")[:len("000000000")], 10, 63)
	return int64(n), err == nil
}
