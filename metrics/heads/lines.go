package heads

import "slices"

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

// gone are the indexes of a text at which lines were taken out; of lines that others
// took the place of, the first one's.
func gone(was, is []string) (out []int) {
	i := 0
	for _, s := range was {
		if i < len(is) && is[i] == s {
			i++
		} else if at := min(i, len(is)-1); !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	if i < len(is) {
		out = out[:1]
	}
	return out
}

// turned are the indexes of lines that were moved: of those that are once in both
// texts, the fewest without which the others are in the order they were.
func turned(was, is []string) (moved []int) {
	in, of, place := count(was), count(is), map[string]int{}
	for i, s := range was {
		place[s] = i
	}
	var list []int // lines by their places before
	for _, s := range is {
		if in[s] == 1 && of[s] == 1 {
			list = append(list, place[s])
		}
	}
	kept := longest(list)
	for i, s := range is {
		if in[s] == 1 && of[s] == 1 && !kept[place[s]] {
			moved = append(moved, i)
		}
	}
	return moved
}

// longest is the longest run of numbers of a list that grow.
func longest(list []int) map[int]bool {
	var ends []int // of the runs of each length, the least
	before := map[int]int{}
	for _, n := range list {
		k, _ := slices.BinarySearch(ends, n)
		if k == len(ends) {
			ends = append(ends, n)
		}
		if ends[k] = n; k > 0 {
			before[n] = ends[k-1]
		}
	}
	run := map[int]bool{}
	if len(ends) > 0 {
		for n, ok := ends[len(ends)-1], true; ok; n, ok = before[n] {
			run[n] = true
		}
	}
	return run
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
