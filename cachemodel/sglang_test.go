package cachemodel_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"agentsim/cachemodel"
	"agentsim/sim/recording/recordingtest"
)

// TestSGLangTree runs the stories in testdata/sglang. Each letter is a token:
//
//	tree [page=N] [policy=lru|lfu|fifo|mru|filo|priority]   start over
//	insert LETTERS [extra=X] [priority=N]; match LETTERS [extra=X]
//	lock LETTERS; unlock LETTERS   of what LETTERS match
//	evict TOKENS; print
func TestSGLangTree(t *testing.T) {
	stories(t, "sglang", func(t *testing.T) func(*testing.T, *datadriven.TestData) string {
		return (&treeStory{}).run
	})
}

type treeStory struct {
	tree   *cachemodel.SGLangTree
	locked map[string]cachemodel.SGLangMatch
}

func policyNamed(t *testing.T, name string) cachemodel.SGLangPolicy {
	for p := cachemodel.SGLangLRU; p <= cachemodel.SGLangPriority; p++ {
		if p.String() == name {
			return p
		}
	}
	t.Fatalf("no policy %q", name)
	return 0
}

func (s *treeStory) run(t *testing.T, d *datadriven.TestData) string {
	var extra string
	d.MaybeScanArgs(t, "extra", &extra)
	switch d.Cmd {
	case "tree":
		page, policy := 1, "lru"
		d.MaybeScanArgs(t, "page", &page)
		d.MaybeScanArgs(t, "policy", &policy)
		s.tree, s.locked = cachemodel.NewSGLangTree(page, policyNamed(t, policy)), map[string]cachemodel.SGLangMatch{}
		return "ok"
	case "print":
		return s.print()
	case "insert":
		var priority int64
		d.MaybeScanArgs(t, "priority", &priority)
		return fmt.Sprintf("known=%d", s.tree.Insert(extra, letters(d.CmdArgs[0].Key), priority))
	case "match":
		return fmt.Sprintf("match=%d", s.tree.Match(extra, letters(d.CmdArgs[0].Key)).Tokens)
	case "lock":
		m := s.tree.Match(extra, letters(d.CmdArgs[0].Key))
		s.tree.Lock(m)
		s.locked[d.CmdArgs[0].Key] = m
		return fmt.Sprintf("match=%d locked=%d", m.Tokens, s.tree.Locked())
	case "unlock":
		s.tree.Unlock(s.locked[d.CmdArgs[0].Key])
		return fmt.Sprintf("locked=%d", s.tree.Locked())
	case "evict":
		var n int
		fmt.Sscan(d.CmdArgs[0].Key, &n)
		return fmt.Sprintf("freed=%d\n%s", s.tree.Evict(n), s.print())
	}
	t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	return ""
}

// print is the tree with its tokens as letters again.
func (s *treeStory) print() string {
	return inBrackets.ReplaceAllStringFunc(s.tree.String(), func(list string) string {
		var b strings.Builder
		for _, id := range strings.Fields(strings.Trim(list, "[]")) {
			n, _ := strconv.Atoi(id)
			b.WriteRune(rune(n))
		}
		return b.String()
	})
}

var inBrackets = regexp.MustCompile(`\[\d[\d ]*\]`)

func TestGoldenS1(t *testing.T) {
	var g struct {
		S1 struct {
			Inserts [][]cachemodel.Token
			Tokens  int `json:"total_tokens"`
		} `json:"GOLD-S1_sglang"`
	}
	if err := json.Unmarshal(recordingtest.Read(t, "golden", "golden.json"), &g); err != nil {
		t.Fatal(err)
	}
	t.Run("CACHE-85 CACHE-86 GOLD-S1 the server's own example leaves as many tokens as it says", func(t *testing.T) {
		tree := cachemodel.NewSGLangTree(1, cachemodel.SGLangLRU)
		for _, ids := range g.S1.Inserts {
			tree.Insert("", ids, 0)
		}
		if tree.Tokens() != g.S1.Tokens {
			t.Errorf("%d tokens, documented %d\n%v", tree.Tokens(), g.S1.Tokens, tree)
		}
		// Its example then asks for 1 2 3 13 14.
		if m := tree.Match("", []cachemodel.Token{1, 2, 3, 13, 14}); m.Tokens != 3 {
			t.Errorf("1 2 3 13 14 matches %d tokens", m.Tokens)
		}
	})
}

func TestSGLangMisuse(t *testing.T) {
	t.Run("CACHE-87 unlocking more often than locking is a programmer's error", func(t *testing.T) {
		tree := cachemodel.NewSGLangTree(1, cachemodel.SGLangLRU)
		tree.Insert("", letters("ab"), 0)
		m := tree.Match("", letters("ab"))
		tree.Lock(m)
		tree.Unlock(m)
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		tree.Unlock(m)
	})
}
