package heads

// edges are how many lines two texts have in common at their beginnings and ends.
func edges(was, is []string) (front, back int) {
	most := min(len(was), len(is))
	for front < most && was[front] == is[front] {
		front++
	}
	for back < most-front && was[len(was)-1-back] == is[len(is)-1-back] {
		back++
	}
	return front, back
}

// fresh are the indexes of lines that the text before did not have. A line that is
// there several times counts as often.
func fresh(was, is []string) (out []int) {
	front, back := edges(was, is)
	left := map[string]int{}
	for _, s := range was[front : len(was)-back] {
		left[s]++
	}
	for i := front; i < len(is)-back; i++ {
		if left[is[i]]--; left[is[i]] < 0 {
			out = append(out, i)
		}
	}
	return out
}

// turned are the indexes of lines that stand in another order than they did: of those
// that are once in both texts.
func turned(was, is []string) (out []int) {
	front, back := edges(was, is)
	a, b := was[front:len(was)-back], is[front:len(is)-back]
	in, of := count(a), count(b)
	once := func(s string) bool { return in[s] == 1 && of[s] == 1 }
	var before, after []string
	var at []int
	for _, s := range a {
		if once(s) {
			before = append(before, s)
		}
	}
	for i, s := range b {
		if once(s) {
			after, at = append(after, s), append(at, front+i)
		}
	}
	front, back = edges(before, after)
	if front+back == len(at) {
		return nil
	}
	return at[front : len(at)-back]
}

func count(list []string) map[string]int {
	n := map[string]int{}
	for _, s := range list {
		n[s]++
	}
	return n
}

// spans joins lines that follow one another. at is the file's line of each index.
func spans(list, at []int) (out []Span) {
	for _, i := range list {
		line := at[i]
		if n := len(out); n > 0 && line <= out[n-1].Last+1 {
			out[n-1].Last = line
			continue
		}
		out = append(out, Span{line, line})
	}
	return out
}
