package container

import (
	"bytes"
	"fmt"
	"io"
	"iter"

	"github.com/fbverify/go/fbverify"
	"github.com/fbverify/go/fbverify/traverse"
)

// Options say how to open a file. The zero value finds everything out.
type Options struct {
	// Format is the format of the file; Unknown means that it is to be detected.
	Format Format

	// Type is the root type of the FlatBuffers in raw, size-prefixed and stream
	// files. Its file identifier helps to detect those.
	Type *fbverify.Type

	// Strict makes faults of deviations. For the FlatBuffers themselves, Strict of the
	// options of [Part.Verify] does that, and asks for more.
	Strict bool
}

// File is a file of a known format. It is safe for concurrent use if its reader
// is; each iteration over it reads for itself.
type File struct {
	r         io.ReaderAt
	size      int64
	bytes     []byte // the whole file, when it is in memory
	format    Format
	detection Detection
	opts      Options
}

// Open finds out the format of the size bytes that r reads. It fails with an
// [*Error] of kind ErrUnknownFormat, which says what the file looks like and
// what would help, or ErrRead. A damaged file of a known format opens: its faults are
// told by [File.Parts].
func Open(r io.ReaderAt, size int64, opts *Options) (*File, error) {
	return open(r, size, nil, opts)
}

// OpenBytes is [Open] for a file in memory. The bytes must not change while the
// File is in use.
func OpenBytes(b []byte, opts *Options) (*File, error) {
	return open(bytes.NewReader(b), int64(len(b)), b[:len(b):len(b)], opts)
}

func open(r io.ReaderAt, size int64, whole []byte, opts *Options) (*File, error) {
	f := &File{r: r, size: size, bytes: whole}
	if opts != nil {
		f.opts = *opts
	}
	if size < 0 || size > maxSize {
		return nil, &Error{Kind: ErrLimit, Detail: "the file's size is impossible", Found: fmt.Sprint(size), Allowed: fmt.Sprintf("0 to %d", int64(maxSize))}
	}
	if f.opts.Format >= numFormats {
		return nil, &Error{Kind: ErrUnknownFormat, Detail: fmt.Sprintf("there is no format number %d", f.opts.Format)}
	}
	if f.opts.Format != Unknown {
		f.format = f.opts.Format
		f.detection = Detection{Format: f.format, Confidence: Certain, Reason: "the caller said so"}
		return f, nil
	}
	src := &source{r: r, size: size, whole: whole}
	f.detection = detect(src, f.opts.Type)
	f.format = f.detection.Format
	if src.err != nil {
		return nil, &Error{Kind: ErrRead, Detail: "cannot read the file", Err: src.err}
	}
	if f.format == Unknown {
		return nil, &Error{Kind: ErrUnknownFormat, Detail: f.detection.String()}
	}
	return f, nil
}

// Format returns the file's format, never Unknown.
func (f *File) Format() Format { return f.format }

// Detection returns how the format was found out.
func (f *File) Detection() Detection { return f.detection }

// Size returns the file's length in bytes.
func (f *File) Size() int64 { return f.size }

// Parts returns the FlatBuffers of the file in the order in which they lie
// there. An error is an [*Error] about the framing, a fault, given with an empty Part
// where it was found; what is sound after it follows.
func (f *File) Parts() iter.Seq2[Part, error] { return f.parts(Fault) }

// Findings is Parts, and also tells the deviations and the notes, as errors of those
// severities. To find some of the notes costs reading a little more of the file.
func (f *File) Findings() iter.Seq2[Part, error] { return f.parts(Note) }

// parts tells findings down to a severity.
func (f *File) parts(least Severity) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		f.walk(false, least == Note, func(it item) bool {
			switch {
			case it.fault != nil:
				return it.fault.Severity > least || yield(Part{}, it.fault)
			case it.isPart:
				return yield(it.part, nil)
			}
			return true
		})
	}
}

// Regions returns what each byte of the file is for, in order: every byte lies
// in exactly one region. Bytes that nothing in the file speaks of are in a
// region of kind Gap, and so is what a fault hides; the faults are told by
// [File.Parts]. A FlatBuffer inside the bytes of another has no region of
// its own.
func (f *File) Regions() iter.Seq[Region] {
	return func(yield func(Region) bool) {
		end, stopped := int64(0), false
		emit := func(r Region) bool {
			if r.Offset > end && !yield(Region{Kind: Gap, Name: "gap", Offset: end, Length: r.Offset - end}) {
				stopped = true
				return false
			}
			if cut := end - r.Offset; cut > 0 { // what comes first keeps the bytes
				if r.Length <= cut {
					return true
				}
				r.Offset, r.Length, r.Part = r.Offset+cut, r.Length-cut, nil
			}
			end = r.Offset + r.Length
			if r.Length > 0 && !yield(r) {
				stopped = true
			}
			return !stopped
		}
		f.walk(true, false, func(it item) bool {
			if it.fault != nil || it.nested {
				return true
			}
			if it.isPart {
				p := it.part
				return emit(Region{FlatBuffer, p.Name, p.Offset, p.Length, &p})
			}
			return emit(it.region)
		})
		if !stopped && end < f.size {
			yield(Region{Kind: Gap, Name: "gap", Offset: end, Length: f.size - end})
		}
	}
}

// item is what a walk meets: a part, a region that is none, or a fault.
type item struct {
	isPart bool
	nested bool // the part lies inside another
	part   Part
	region Region
	fault  *Error
}

// walker goes through a file once, in the order of its bytes.
type walker struct {
	f       *File
	src     *source
	regions bool // the consumer wants them: else nothing is read for them alone
	notes   bool // the consumer wants them: else nothing is read for them alone
	yield   func(item) bool
	done    bool // the consumer wants no more

	end    int64 // of what was met, where notes are wanted
	faulty bool  // a fault was reported, or will be, that may hide what bytes are for
}

func (f *File) walk(regions, notes bool, yield func(item) bool) {
	w := &walker{f: f, regions: regions, notes: notes, src: &source{r: f.r, size: f.size, whole: f.bytes}, yield: yield}
	switch f.format {
	case Raw, BFBS:
		w.raw()
	case SizePrefixed, LongSizePrefixed:
		w.sizePrefixed()
	case Stream, LongStream:
		w.stream()
	case Vortex:
		w.vortex()
	case ArrowFile:
		w.arrowFile()
	case ArrowStream:
		w.arrowStream()
	case Feather:
		w.feather()
	case TFLite:
		w.tflite()
	case FlatGeobuf:
		w.flatGeobuf()
	}
	w.meet(f.size, 0)
	if w.src.err != nil {
		w.report(&Error{Kind: ErrRead, Detail: "cannot read the file, so that not all parts could be found", Err: w.src.err})
	}
}

// emit hands an item to the consumer and reports whether to go on.
func (w *walker) emit(it item) bool {
	if !w.done && !w.yield(it) {
		w.done = true
	}
	return !w.done
}

func (w *walker) part(p Part) bool {
	p.file = w.f
	w.meet(p.Offset, p.Length)
	return w.emit(item{isPart: true, part: p})
}

func (w *walker) region(kind RegionKind, name string, offset, length int64) bool {
	if length <= 0 {
		return !w.done
	}
	if w.meet(offset, length); !w.regions {
		return !w.done
	}
	return w.emit(item{region: Region{Kind: kind, Name: name, Offset: offset, Length: length}})
}

// report hands on a fault. After an error of reading, faults that are only its
// consequence are left out.
func (w *walker) report(e *Error) bool {
	if w.src.err != nil && e.Kind != ErrRead {
		return !w.done
	}
	e.Format = w.f.format
	if e.Size == 0 {
		e.Size = numberSize[e.Kind]
	}
	e.Offset = min(e.Offset, w.f.size) // of something that should be after the end
	w.faulty = w.faulty || e.Severity == Fault
	return w.emit(item{fault: e})
}

// deviate reports that the letter of the format is broken in a way that these readers
// let pass.
func (w *walker) deviate(readers string, e *Error) bool {
	e.Readers = readers
	if !w.f.opts.Strict {
		e.Severity = Deviation
	}
	return w.report(e)
}

// note reports what is odd, or was not looked at.
func (w *walker) note(e *Error) bool {
	if !w.notes {
		return !w.done
	}
	e.Severity = Note
	return w.report(e)
}

// unreadable reports a fault of a FlatBuffer that leads to others; what says
// which of them cannot be found.
func (w *walker) unreadable(part string, f *fault, what string) bool {
	detail := f.detail
	if f.path != "" {
		detail = f.path + ": " + detail
	}
	return w.report(&Error{Kind: ErrUnreadable, Part: part, Offset: f.pos, Size: f.size, Detail: detail + ", so that " + what})
}

// follow has the FlatBuffer at that place traversed; see [source.follow].
func (w *walker) follow(root string, offset, length int64, fields []string, begin func(r *reading) func(*traverse.Event) traverse.Answer) *reading {
	return w.src.follow(knownTypes[root](), offset, length, mostRead, fbverify.Options{}, fields, begin)
}

// otherVersion says what a version means that is not known.
func otherVersion(newer bool, what string) string {
	if newer {
		return "a newer " + what + " than this package knows, which it may misread"
	}
	return "an older " + what + " than this package knows, which it may misread"
}

func bytesOf(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// upTo says which lengths fit into n bytes.
func upTo(n int64) string {
	if n < 1 {
		return "none, as no bytes are left for it"
	}
	return fmt.Sprintf("1 to %d", n)
}

func indexed(name string, i int64, rest string) string {
	return fmt.Sprintf("%s[%d]%s", name, i, rest)
}
