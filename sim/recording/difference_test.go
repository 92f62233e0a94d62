package recording

import "testing"

func TestDiffers(t *testing.T) {
	for _, c := range []struct {
		changed string
		want    *Difference
	}{
		{"", nil},
		{"settings: thinking", nil},
		{"marks: none from block 2 (user text) on", nil},
		{(&Difference{Level: "system", Block: 2, Kind: "text", At: 140}).String(), &Difference{Level: "system", Block: 2, At: 140}},
		{Differences(&Difference{Unmarked: true, Block: 2, Kind: "text"}, &Difference{Level: "messages", Block: 3, Role: "user", Kind: "text", At: 30}), &Difference{Level: "messages", Block: 3, At: 30}},
		{(&Difference{Level: "tools", Block: 4, Kind: "tool", Name: "Read", New: true}).String(), &Difference{Level: "tools", Block: 4, At: -1}},
		{(&Difference{Level: "system", Block: 2, Kind: "text", Gone: true}).String(), &Difference{Level: "system", Block: 2, At: -1}},
		{(&Difference{Level: "tools"}).String(), &Difference{Level: "tools", At: -1}},
		{"history: block 5 (user text), byte 86", &Difference{Level: "messages", Block: 5, At: -1}}, // of another beginning
	} {
		t.Run("WIRE-66 "+c.changed, func(t *testing.T) {
			got := Differs(c.changed)
			if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}
