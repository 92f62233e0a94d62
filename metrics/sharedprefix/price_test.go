package sharedprefix

import (
	"testing"

	"agentsim/cachemodel"
)

func TestPrices(t *testing.T) {
	t.Run("CLI-05 children are held against those of the same message, of another one only where it has none", sameMessage)
	t.Run("CLI-05 what is lost costs its tokens written instead of read, by the lifetime of its marks", lifetimes)
	t.Run("CLI-05 a cut that grew is a loss, by the tokens beyond those paid before; one that is as long or shorter is none", grown)
}

const priced = "claude-sonnet-4-5"

// pair is a record of messages that each start two children, which share so many
// of ten blocks of 1,000 tokens; each marks its ninth.
func pair(hour bool, shares ...int) *Record {
	r := &Record{}
	add := func(before int, text string) int {
		b := Block{Before: before, Level: "system", Kind: "text", Text: len(r.Texts), Bytes: 5, Tokens: 1000}
		if before >= 0 {
			b.Bytes, b.Tokens = r.Blocks[before].Bytes+5, r.Blocks[before].Tokens+1000
		}
		r.Texts, r.Blocks = append(r.Texts, text), append(r.Blocks, b)
		return len(r.Blocks) - 1
	}
	for message, n := range shares {
		last := -1
		for range n {
			last = add(last, "equal")
		}
		for child, text := range []string{"first", "other"} {
			at := last
			for range 10 - n {
				at = add(at, text)
			}
			o := Opening{Who: text, Type: "t", Model: priced, Source: []string{"main#1", "main#2", "main#3"}[message], Last: at, Marks: []int{2, 4, 9}, Hour: hour}
			if child == 0 {
				o.Count = 2
			}
			r.Openings = append(r.Openings, o)
		}
	}
	return r
}

// lost are the losses of one kind.
func lost(kind string, before, after *Record) (out []Finding) {
	for _, f := range Compare(before, after, cachemodel.Lookup) {
		if f.Kind == kind {
			out = append(out, f)
		}
	}
	return out
}

func sameMessage(t *testing.T) {
	found := lost("siblings", pair(false, 2, 8), pair(false, 2, 5))
	if len(found) != 1 || found[0].Who != "main#2" || found[0].Was.Blocks != 8 || found[0].Is.Blocks != 5 {
		t.Errorf("the second message lost three blocks: %+v", found)
	}
	if found := lost("siblings", pair(false, 4, 8), pair(false, 4, 8, 4)); len(found) != 0 {
		t.Errorf("a third message is held against the first one, which shares as much: %+v", found)
	}
	if found := lost("siblings", pair(false, 8), pair(false, 8, 4)); len(found) != 1 || found[0].Who != "main#2" {
		t.Errorf("a second message shares less than the first one: %+v", found)
	}
}

func lifetimes(t *testing.T) {
	p, err := cachemodel.Lookup(priced)
	if err != nil {
		t.Fatal(err)
	}
	for hour, write := range map[bool]cachemodel.Picodollars{false: p.Rates.Write5m, true: p.Rates.Write1h} { // order: each is a case of its own
		found := lost("siblings", pair(hour, 9), pair(hour, 5))
		if want := int64(5000 * (write - p.Rates.Read)); len(found) != 1 || found[0].Again != 5000 || found[0].Cost != want {
			t.Errorf("one hour %v: %+v, want 5,000 tokens for %d", hour, found, want)
		}
	}
}

func grown(t *testing.T) {
	p, err := cachemodel.Lookup(priced)
	if err != nil {
		t.Fatal(err)
	}
	record := func(bytes, again int64) *Record {
		return &Record{Cuts: []Cut{{Who: "main#2", Type: "main", Model: priced, Place: Place{Block: 3, Byte: 50}, Lost: bytes, Again: again}}}
	}
	for _, c := range []struct {
		before, after *Record
		again         int64 // -1 where nothing is lost
	}{
		{record(100, 700), record(300, 1000), 300},
		{record(100, 700), record(300, 600), 0},
		{&Record{}, record(300, 1000), 1000},
		{record(300, 1000), record(300, 1000), -1},
		{record(300, 1000), record(100, 700), -1},
		{record(300, 1000), &Record{}, -1},
	} {
		found := lost("turn", c.before, c.after)
		switch {
		case c.again < 0:
			if len(found) != 0 {
				t.Errorf("%+v became %+v: %+v", c.before.Cuts, c.after.Cuts, found)
			}
		case len(found) != 1 || found[0].Again != c.again || found[0].Cost != c.again*int64(p.Rates.Write5m-p.Rates.Read):
			t.Errorf("%+v became %+v: %+v, want %d tokens again", c.before.Cuts, c.after.Cuts, found, c.again)
		}
	}
}
