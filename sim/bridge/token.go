package bridge

import (
	"errors"
	"fmt"
	"strings"

	"agentsim/sim/vtime"

	"github.com/golang-jwt/jwt/v5"
)

// TokenPrefix is what an inner token begins with.
const TokenPrefix = "sk-ant-si-"

// ErrNoEnd is a token that does not say when it ends.
var ErrNoEnd = errors.New("the token has no exp")

// Ends is when a token ends. Its signature is not looked at.
func Ends(token string) (vtime.Instant, error) {
	var claims jwt.RegisteredClaims
	if _, _, err := jwt.NewParser().ParseUnverified(strings.TrimPrefix(token, TokenPrefix), &claims); err != nil && !errors.Is(err, jwt.ErrTokenUnverifiable) {
		return 0, fmt.Errorf("cannot decode the token: %w", err)
	}
	if claims.ExpiresAt == nil {
		return 0, ErrNoEnd
	}
	seconds := claims.ExpiresAt.Unix()
	if seconds < 0 || seconds > int64(vtime.MaxInstant)/int64(vtime.Second) {
		return 0, fmt.Errorf("the token's exp %d is no time", seconds)
	}
	return vtime.Instant(seconds) * vtime.Instant(vtime.Second), nil
}
