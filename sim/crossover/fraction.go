package crossover

import "fmt"

// Fraction is an exact quotient in lowest terms, 0 or more; Den is greater than
// zero.
type Fraction struct {
	Num int64 `json:"num"`
	Den int64 `json:"den"`
}

// fraction reduces num/den, with num ≥ 0 and den > 0.
func fraction(num, den int64) Fraction {
	a, b := num, den
	for b != 0 {
		a, b = b, a%b
	}
	return Fraction{num / a, den / a}
}

// Floor is the greatest whole number that is not above the fraction.
func (f Fraction) Floor() int64 { return f.Num / f.Den }

// String prints the fraction with two decimals, halves rounded up, and none
// where it is whole: 11.5, 12, 8.93.
func (f Fraction) String() string {
	whole := f.Floor()
	cents := hundredths(f.Num-whole*f.Den, f.Den)
	if cents == 100 {
		whole, cents = whole+1, 0
	}
	switch {
	case cents == 0:
		return fmt.Sprint(whole)
	case cents%10 == 0:
		return fmt.Sprintf("%d.%d", whole, cents/10)
	}
	return fmt.Sprintf("%d.%02d", whole, cents)
}

// hundredths is num/den in hundredths, rounded, for 0 ≤ num < den. A remainder
// too large to multiply is halved first, which moves no hundredth.
func hundredths(num, den int64) int64 {
	for den > 1<<54 {
		num, den = num>>1, den>>1
	}
	return (num*100 + den/2) / den
}

// Exact prints the fraction itself: 23/2, or 12.
func (f Fraction) Exact() string {
	if f.Den == 1 {
		return fmt.Sprint(f.Num)
	}
	return fmt.Sprintf("%d/%d", f.Num, f.Den)
}
