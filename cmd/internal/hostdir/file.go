package hostdir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// LargeError refuses a file that is larger than what is read of such a file.
type LargeError struct{ Most int64 }

func (e *LargeError) Error() string {
	return fmt.Sprintf("it is larger than %d KiB, the most that is read of such a file", e.Most>>10)
}

// IrregularError refuses what is no regular file. It is refused before it is
// opened: a pipe without a writer would never open.
type IrregularError struct{ What string }

func (e *IrregularError) Error() string {
	return "it is " + e.What + ", and only regular files are read"
}

// ErrOutside refuses a link that leads out of its directory.
var ErrOutside = errors.New("a link leads out of the directory")

// Linked is an error where a name that is to be written is a link to what is not in or
// below the link's directory: a repository may hold it, and the user would not see what
// is written over. The machine's own, such as /dev/stdout, is none.
func Linked(name string) error {
	info, err := os.Lstat(name)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 || strings.HasPrefix(name, "/dev/") || strings.HasPrefix(name, "/proc/") {
		return nil
	}
	to, err := filepath.EvalSymlinks(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the link itself is written over
	}
	dir, failed := filepath.EvalSymlinks(filepath.Dir(name))
	if err := errors.Join(err, failed); err != nil {
		return err
	}
	if rel, err := filepath.Rel(dir, to); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("it is a link to %s, which is elsewhere", to)
	}
	return nil
}

// Text reads a text file of this machine, at most so many bytes of it, without a
// byte order mark. Its errors do not name the file.
func Text(name string, most int64) ([]byte, error) {
	text, err := whole(machine{}, name, most)
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

// Machine is this machine's file system under the names that a user types,
// absolute or not. Of files only regular ones open.
type Machine struct{}

// Open opens a file or directory.
func (Machine) Open(name string) (fs.File, error) { return open(machine{}, name) }

// Dir is a directory of this machine as a file system: regular files of at most
// MaxFileBytes, and no link leads out of it.
type Dir struct{ root *os.Root }

// OpenDir opens a directory. Its errors do not name it.
func OpenDir(dir string) (*Dir, error) {
	info, err := os.Stat(dir) // opening a pipe would wait for its writer
	if err != nil {
		return nil, Plain(err)
	}
	if !info.IsDir() {
		return nil, errors.New("it is not a directory: name one")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, Plain(err)
	}
	return &Dir{root}, nil
}

// Close closes the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Open opens a file or directory.
func (d *Dir) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return open(d.root, filepath.FromSlash(name))
}

// Stat describes a file, or a link that leads nowhere or out of the directory.
func (d *Dir) Stat(name string) (fs.FileInfo, error) {
	info, err := d.root.Stat(filepath.FromSlash(name))
	if err != nil {
		info, err = d.root.Lstat(filepath.FromSlash(name))
	}
	return info, err
}

// Lstat describes a file, or a link itself.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(filepath.FromSlash(name)) }

// ReadLink is where a link leads.
func (d *Dir) ReadLink(name string) (string, error) {
	to, err := d.root.Readlink(filepath.FromSlash(name))
	return filepath.ToSlash(to), err
}

// ReadFile reads a whole file.
func (d *Dir) ReadFile(name string) ([]byte, error) { return d.Read(name, MaxFileBytes) }

// Read reads a whole file of at most so many bytes.
func (d *Dir) Read(name string, most int64) ([]byte, error) {
	return whole(d.root, filepath.FromSlash(name), most)
}

// Write writes a file and the directories that it needs, whole or not at all. What
// is there must be a regular file: nothing is written through a link.
func (d *Dir) Write(name string, text []byte) error { return d.write(name, text, 0o777, 0o666) }

// WritePrivate is Write of what nobody else may read.
func (d *Dir) WritePrivate(name string, text []byte) error { return d.write(name, text, 0o700, 0o600) }

func (d *Dir) write(name string, text []byte, dirs, file fs.FileMode) error {
	name = filepath.FromSlash(name)
	info, err := d.root.Lstat(name)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return &IrregularError{kind(info.Mode())}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return Plain(err)
	}
	if err := d.root.MkdirAll(filepath.Dir(name), dirs); err != nil {
		return Plain(err)
	}
	beside := name + fmt.Sprintf(".%d", os.Getpid())
	err = d.root.WriteFile(beside, text, file)
	if err == nil {
		err = d.root.Rename(beside, name)
	}
	if err != nil {
		return errors.Join(Plain(err), d.root.Remove(beside))
	}
	return nil
}

// opener is where files are: this machine, or a directory of it.
type opener interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
}

type machine struct{}

func (machine) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (machine) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

// open opens a regular file or a directory. It looks before it opens, and again at
// what it has opened, which does not wait for the other end of a pipe.
func open(from opener, name string) (*os.File, error) {
	info, err := from.Stat(name)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, Plain(err)
	}
	f, err := from.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Plain(err)
	}
	info, err = f.Stat()
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, errors.Join(Plain(err), f.Close())
	}
	return f, nil
}

// whole reads a file from its beginning to its end; of one that is too large it
// returns the beginning.
func whole(from opener, name string, most int64) ([]byte, error) {
	f, err := open(from, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	upTo := most + 1
	switch {
	case err != nil:
		return nil, Plain(err)
	case info.IsDir():
		return nil, &IrregularError{kind(info.Mode())}
	case info.Size() > most:
		upTo = sniffed
	}
	text, err := io.ReadAll(io.LimitReader(f, upTo))
	if max(info.Size(), int64(len(text))) > most {
		return text, &LargeError{most}
	}
	return text, Plain(err)
}

func regular(info fs.FileInfo) error {
	if m := info.Mode(); !m.IsRegular() && !m.IsDir() {
		return &IrregularError{kind(m)}
	}
	return nil
}

// kind says what a file is that is no regular one.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a link"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// Plain is the reason of an error about a file without the file's name.
func Plain(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	if err != nil && err.Error() == "path escapes from parent" { // os.Root's, which has no name
		return ErrOutside
	}
	return err
}
