package importer

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"unicode"

	"agentsim/sim/recording"
)

// finish puts a session in order: requests by Start and, where equal, as they
// were recorded; threads behind their parents. What names a request or thread
// goes with it. A name of something that lies behind is dropped and counted, so
// that nobody who follows Pred or Parent goes round in a circle. file is where
// the session is from.
func finish(s *recording.Session, sk *skips, file string) {
	now := arrange(&s.Requests, func(a, b int) int { return cmp.Compare(s.Requests[a].Start, s.Requests[b].Start) })
	threads := orderThreads(s)
	for i := range s.Requests {
		r := &s.Requests[i]
		r.Thread = threads[r.Thread]
		if r.Pred = moved(now, r.Pred); r.Pred >= int32(i) {
			r.Pred = -1
			sk.add("predecessor that begins after its successor", file, 0)
		}
		for t := range r.Tools {
			r.Tools[t].Spawned = moved(threads, r.Tools[t].Spawned)
		}
	}
	first := make([]int32, len(s.Threads)) // request of each thread
	for i := range first {
		first[i] = int32(len(s.Requests))
	}
	for i, r := range slices.Backward(s.Requests) {
		first[r.Thread] = int32(i)
	}
	for i := range s.Threads {
		t := &s.Threads[i]
		if t.SpawnedBy = moved(now, t.SpawnedBy); t.SpawnedBy >= first[i] {
			t.SpawnedBy = -1
			sk.add("spawner that begins after what it spawned", file, 0)
		}
	}
}

// arrange puts a list in order by the places of its elements, equal ones as they
// stand, and returns where each went.
func arrange[T any](list *[]T, compare func(a, b int) int) []int32 {
	order, out, now := inOrder(len(*list), compare), make([]T, len(*list)), make([]int32, len(*list))
	for i, from := range order {
		out[i], now[from] = (*list)[from], int32(i)
	}
	*list = out
	return now
}

// inOrder are the numbers from 0 up to n in order, equal ones as they stand.
func inOrder(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}

// moved is where i went; -1 stays.
func moved(to []int32, i int32) int32 {
	if i < 0 || int(i) >= len(to) {
		return -1
	}
	return to[i]
}

// orderThreads puts threads behind their parents, else as they stand, and returns
// where each went. Parents that go round in a circle are none.
func orderThreads(s *recording.Session) []int32 {
	depth := depths(s.Threads)
	now := arrange(&s.Threads, func(a, b int) int { return cmp.Compare(depth[a], depth[b]) })
	for i := range s.Threads {
		s.Threads[i].Parent = moved(now, s.Threads[i].Parent)
	}
	return now
}

// depths counts each thread's ancestors. A parent that is none, or that closes a
// circle, is dropped.
func depths(threads []recording.Thread) []int {
	const open = -1
	depth := make([]int, len(threads)) // its ancestors and one, 0 before it is known
	var path []int32
	for i := range threads {
		at := int32(i)
		for path = path[:0]; depth[at] == 0; at = threads[at].Parent {
			path = append(path, at)
			depth[at] = open
			if p := threads[at].Parent; p < 0 || int(p) >= len(threads) || depth[p] == open {
				threads[at].Parent = -1
				break
			}
		}
		for _, t := range slices.Backward(path) {
			if depth[t] = 1; threads[t].Parent >= 0 {
				depth[t] += depth[threads[t].Parent]
			}
		}
	}
	return depth
}

// maxBack is how many requests are looked at for one that another goes on from.
const maxBack = 10_000

// maxName is how many bytes an id, a model's name and the like may have.
const maxName = 256

// plain is a name as a recording gives it. One that could be taken for a path,
// that does not print or is longer than maxName is replaced by a hash of it and
// counted: others may make file names of ids.
func plain(name string, sk *skips, file string, line int64) string {
	bad := len(name) > maxName || name == "." || name == ".." || strings.ContainsFunc(name, func(r rune) bool {
		return r == '/' || r == '\\' || !unicode.IsPrint(r)
	})
	if !bad {
		return name
	}
	sk.add("name that could be taken for a path, does not print or is too long: replaced by a hash of it", file, line)
	return hashed(name)
}

// plainPath is plain for a name of segments, such as owner/name.
func plainPath(name string, sk *skips, file string, line int64) string {
	if name == "" || path.Clean(name) != name || name[0] == '/' || strings.HasPrefix(name, "..") {
		return plain(name, sk, file, line)
	}
	if flat := strings.ReplaceAll(name, "/", ""); plain(flat, &skips{}, file, line) != flat {
		return plain(name+"/", sk, file, line)
	}
	return name
}

// short is a name, or a hash of one that is longer than any.
func short(name string) string {
	if len(name) > maxName {
		return hashed(name)
	}
	return name
}

// crowded reports whether a value holds more objects than any real one. Small as
// they may be in a file, each takes its room in memory.
func crowded(value []byte) bool { return bytes.Count(value, []byte("{")) > 1<<17 }

func hashed(name string) string {
	sum := sha256.Sum256([]byte(name))
	return "sha256-" + hex.EncodeToString(sum[:12])
}
