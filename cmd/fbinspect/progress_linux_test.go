package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/fbverify/go/internal/growth"
)

// terminal returns both ends of a terminal.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { master.Close() })
	control := func(request uintptr, value *uint32) {
		if _, _, no := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(unsafe.Pointer(value))); no != 0 {
			t.Skip(no)
		}
	}
	var unlock, number uint32
	control(syscall.TIOCSPTLCK, &unlock)
	control(syscall.TIOCGPTN, &number)
	if slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// TestLongWorkOnOneFileIsShownAndEnds: each verb that shows a file is stopped in its work by a
// reader that does not read, says on a terminal how far it is, and ends at an interrupt at
// once, without the file that it was writing.
func TestLongWorkOnOneFileIsShownAndEnds(t *testing.T) {
	dir := t.TempDir()
	schema := write(t, filepath.Join(dir, "rows.fbs"), []byte(growth.RowsSchema))
	file := write(t, filepath.Join(dir, "rows.bin"), growth.Rows(4<<20, 0))
	other := write(t, filepath.Join(dir, "other.bin"), growth.Rows(4<<20, 8))
	for _, args := range [][]string{
		{"annotate", file}, {"annotate", "--json", file}, {"dump", "--limit", "0", file}, {"dump", "--json", file},
		{"diff", "--limit", "0", file, other}, {"html", file, "-o", "-"},
	} {
		master, slave := terminal(t)
		cmd := exec.Command("fbinspect", append([]string{args[0], "--schema", schema}, args[1:]...)...)
		cmd.Stderr = slave
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		slave.Close()
		said := make(chan string, 1)
		go func() {
			var all bytes.Buffer
			b := make([]byte, 1<<10)
			for !bytes.Contains(all.Bytes(), []byte("1s")) {
				n, err := master.Read(b)
				all.Write(b[:n])
				if err != nil {
					break
				}
			}
			said <- all.String()
			_, _ = io.Copy(io.Discard, master)
		}()
		select {
		case text := <-said:
			if want := args[0] + " "; !strings.Contains(text, want) {
				t.Errorf("%v shows %q, want %q in it", args[:2], text, want)
			}
		case <-time.After(20 * time.Second):
			t.Errorf("%v shows nothing", args[:2])
		}
		start := time.Now()
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Errorf("%v ended before it was interrupted: %v", args[:2], err)
		}
		watch := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		watch.Stop()
		stdout.Close()
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || time.Since(start) > 5*time.Second {
			t.Errorf("%v ends with %d, %s after an interrupt", args[:2], code, time.Since(start))
		}
	}
}
