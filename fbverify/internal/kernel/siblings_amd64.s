//go:build !fbportable

#include "textflag.h"
#include "go_asm.h"

// A Run is at DI, a Kind at BP, the Shape in work at R15. The second half of a Kind,
// which is about the child, is laid out like its first, so that BP may point at either:
// a test holds Kind to that.
#define HALF Kind_ChildVTable

// How many bytes of offsets ahead tables are asked for.
#define AHEAD 64

// How many bytes a large buffer has.
#define LARGE (1<<17)

// func siblingsScalar(r *Run)
//
// The portable loop with everything in registers. Kept throughout: DI the Run,
// SI the buffer, R8 the position of its last four bytes, R9 the offset in work.
// For each element: BX the bytes and R12 the work that it counts for, BP its kind.
// For each table: AX its position, DX the room behind it, CX the
// alignments.
TEXT ·siblingsScalar(SB), NOSPLIT, $8-8
	MOVQ r+0(FP), DI
	MOVQ Run_P(DI), SI
	MOVQ Run_N(DI), R8
	SUBQ $4, R8
	MOVQ Run_At(DI), R9

element:
	// Far from the caches a table takes as long as fifty that are in them: in large buffers
	// those that come next are asked for early. Nothing happens where there is no such
	// address.
	CMPQ      R8, $LARGE
	JB        last
	LEAQ      AHEAD(R9), R11
	CMPQ      R11, Run_End(DI)
	JAE       last
	MOVL      (SI)(R11*1), R10
	ADDQ      R11, R10
	PREFETCHT0 (SI)(R10*1)

last:
	MOVL    (SI)(R9*1), AX
	MOVQ    R8, DX
	SUBQ    R9, DX
	LEAQ    -1(AX), CX
	CMPQ    CX, DX
	JAE     done
	SUBQ    AX, DX
	ADDQ    R9, AX
	MOVLQSX (SI)(AX*1), BX
	MOVQ    AX, CX
	SUBQ    BX, CX
	LEAQ    Run_Kinds(DI), BP
	CMPQ    CX, Kind_VTable(BP)
	JE      known
	ADDQ    $Kind__size, BP
	CMPQ    CX, Kind_VTable(BP)
	JNE     done

known:
	XORL BX, BX
	XORL R12, R12

table:
	MOVQ Kind_Shape(BP), R15
	ADDQ Shape_Work(R15), R12
	MOVQ Shape_Reach(R15), R10
	SUBQ $4, R10
	CMPQ R10, DX
	JA   done
	MOVQ Shape_Mask(R15), R11
	ANDQ AX, R11
	CMPQ R11, Shape_Want(R15)
	JNE  done
	ADDQ Shape_Bytes(R15), BX
	MOVQ AX, CX
	MOVQ (Shape_Vectors+8)(R15), R10
	MOVQ Shape_Vectors(R15), R15
	SHLQ $4, R10 // Vector__size is 16
	JZ   checked
	ADDQ R10, R15
	NEGQ R10

	// R10 counts up to zero, in bytes of Vectors that end at R15.
vector:
	MOVL  Vector_Slot(R15)(R10*1), R14 // the slot
	MOVQ  DX, R13
	SUBQ  R14, R13           // the room behind it
	ADDQ  AX, R14
	MOVL  (SI)(R14*1), R11
	ADDQ  R11, R14           // the vector
	DECQ  R11
	CMPQ  R11, R13
	JAE   done
	SUBQ  R11, R13           // the room behind it, and one
	MOVL  (SI)(R14*1), R11
	ORQ   R14, CX
	MOVL  Vector_Size(R15)(R10*1), R14
	IMULQ R14, R11           // below 1<<48
	CMPQ  R11, R13
	JAE   done
	ADDQ  R11, BX
	ADDQ  $Vector__size, R10
	JNZ   vector

checked:
	MOVQ    Kind_Shape(BP), R15
	CMPQ    (Shape_Texts+8)(R15), $0
	JNE     texts

read:
	TESTQ   Run_Align(DI), CX
	JNZ     done
	MOVQ    Shape_Child(R15), R10
	TESTQ   R10, R10
	JZ      good
	SUBQ    R10, DX
	ADDQ    R10, AX
	MOVL    (SI)(AX*1), R11
	LEAQ    -1(R11), CX
	CMPQ    CX, DX
	JAE     done
	SUBQ    R11, DX
	ADDQ    R11, AX
	MOVLQSX (SI)(AX*1), R11
	MOVQ    AX, CX
	SUBQ    R11, CX
	CMPQ    CX, Kind_ChildVTable(BP)
	JNE     done
	ADDQ    $HALF, BP
	JMP     table

good:
	CMPQ R12, Run_Left(DI)
	JGT  done
	SUBQ R12, Run_Left(DI)
	ADDQ BX, Run_Bytes(DI)

	// Kinds lie at a multiple of their size, so that their second halves are the odd ones.
	SUBQ DI, BP
	SHRQ $4, BP // HALF is 16
	ANDQ $1, BP
	ADDQ BP, Run_Tables(DI)
	ADDQ $4, R9
	CMPQ R9, Run_End(DI)
	JB   element

done:
	MOVQ R9, Run_At(DI)
	RET

texts:
	TESTQ Run_Align(DI), CX
	JNZ   done
	MOVQ (Shape_Texts+8)(R15), R10
	MOVQ Shape_Texts(R15), R15
	LEAQ (R15)(R10*2), R15
	NEGQ R10

	// R10 counts up to zero the slots that end at R15. A string of at most fifteen bytes
	// is in the sixteen that end with its NUL, a longer one in these and its first sixteen.
	// Where a byte before it is no ASCII the bits of those that matter are looked at.
text:
	MOVWLZX  (R15)(R10*2), R14
	MOVQ     DX, R13
	SUBQ     R14, R13           // the room behind the slot
	ADDQ     AX, R14
	MOVL     (SI)(R14*1), R11
	ADDQ     R11, R14           // the string
	DECQ     R11
	CMPQ     R11, R13
	JAE      done
	SUBQ     R11, R13           // the room behind its length, and one
	DECQ     R13
	MOVL     (SI)(R14*1), R11
	ORQ      R14, CX
	CMPQ     R11, R13
	JAE      done
	CMPQ     R11, $32
	JAE      done
	ADDQ     SI, R14
	CMPB     4(R14)(R11*1), $0
	JNE      done
	LEAQ     -11(R14)(R11*1), R13
	CMPQ     R13, SI            // sixteen bytes that end with the NUL are in the buffer
	JB       done
	MOVOU    (R13), X0
	PMOVMSKB X0, R13
	CMPQ     R11, $16
	JAE      longer
	TESTL    R13, R13
	JNZ      before

next:
	SUBQ R11, Run_Text(DI)
	ADDQ R11, BX
	ADDQ $5, BX
	INCQ R10
	JNZ  text
	CMPQ Run_Text(DI), $0
	JLT  done
	MOVQ Kind_Shape(BP), R15
	JMP  read

before:
	BSRL R13, R13
	ADDQ R11, R13
	CMPQ R13, $15
	JAE  done
	JMP  next

longer:
	MOVOU    4(R14), X1
	PMOVMSKB X1, R14
	ORL      R14, R13
	JZ       next
	JMP      done

