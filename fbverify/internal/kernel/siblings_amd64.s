//go:build !fbportable

#include "textflag.h"

// A Run, at DI.
#define P        0(DI)
#define N        8(DI)
#define AT       16(DI)
#define END      24(DI)
#define BYTES    32(DI)
#define TABLES   40(DI)
#define INLINE   48(DI)
#define ALIGN    56(DI)
#define KINDS    64(DI)

// A Kind, at BP. Its second half, about the child, is laid out like its first.
#define KIND_VTABLE       0(BP)
#define KIND_SHAPE        8(BP)
#define KIND_CHILD_VTABLE 16(BP)

// A Shape, at R15.
#define REACH   0(R15)
#define MASK    8(R15)
#define WANT    16(R15)
#define COUNTS  24(R15)
#define VECTORS 32(R15)
#define COUNT   40(R15)
#define CHILD   56(R15)

// func siblingsScalar(r *Run)
//
// The portable loop with everything in registers. Kept throughout: DI the Run,
// SI the buffer, R8 the position of its last four bytes, R9 the offset in work.
// For each element: BX the bytes and R12 the inline bytes that it counts for, BP
// its kind. For each table: AX its position, DX the room behind it, CX the
// alignments.
TEXT ·siblingsScalar(SB), NOSPLIT, $8-8
	MOVQ r+0(FP), DI
	MOVQ P, SI
	MOVQ N, R8
	SUBQ $4, R8
	MOVQ AT, R9

element:
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
	LEAQ    KINDS, BP
	CMPQ    CX, KIND_VTABLE
	JE      known
	ADDQ    $32, BP
	CMPQ    CX, KIND_VTABLE
	JNE     done

known:
	XORL BX, BX
	XORL R12, R12

table:
	MOVQ KIND_SHAPE, R15
	MOVQ REACH, R10
	ADDQ R10, R12
	SUBQ $4, R10
	CMPQ R10, DX
	JA   done
	MOVQ MASK, R11
	ANDQ AX, R11
	CMPQ R11, WANT
	JNE  done
	ADDQ COUNTS, BX
	MOVQ AX, CX
	MOVQ COUNT, R10
	MOVQ VECTORS, R15
	SHLQ $4, R10
	JZ   checked
	ADDQ R10, R15
	NEGQ R10

	// R10 counts up to zero, in bytes of Vectors that end at R15.
vector:
	MOVL  (R15)(R10*1), R14  // the slot
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
	MOVL  4(R15)(R10*1), R14
	IMULQ R14, R11           // below 1<<48
	CMPQ  R11, R13
	JAE   done
	ADDQ  R11, BX
	ADDQ  $16, R10
	JNZ   vector

checked:
	TESTQ   ALIGN, CX
	JNZ     done
	MOVQ    KIND_SHAPE, R15
	MOVQ    CHILD, R10
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
	CMPQ    CX, KIND_CHILD_VTABLE
	JNE     done
	ADDQ    $16, BP
	JMP     table

good:
	CMPQ R12, INLINE
	JGT  done
	SUBQ R12, INLINE
	ADDQ BX, BYTES

	// The halves of kinds are sixteen bytes, and those about children the odd ones.
	SUBQ DI, BP
	SHRQ $4, BP
	ANDQ $1, BP
	ADDQ BP, TABLES
	ADDQ $4, R9
	CMPQ R9, END
	JB   element

done:
	MOVQ R9, AT
	RET
