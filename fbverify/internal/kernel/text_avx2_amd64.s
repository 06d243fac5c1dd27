//go:build !fbportable

#include "textflag.h"
#include "go_asm.h"

// Whether bytes are UTF-8 shows in each byte together with the one before it,
// all but for one question: a continuation byte behind another is right only if
// two or three bytes before it a longer character starts. Three tables, for the
// halves of the byte before and the upper half of the byte, have a bit for each
// way in which two bytes cannot stand together, set where the half allows for
// that; what all three have in common is wrong:
//
//	0x01  a lead byte, and no continuation behind it
//	0x02  a continuation behind an ASCII byte
//	0x04  E0, and less than A0: too long for its value
//	0x08  ED, and A0 or more: a surrogate
//	0x10  C0 or C1: too long for its value
//	0x20  F4 and 90 or more, or F5 and above: beyond the last character
//	0x40  F0, and less than 90, too long; or F5 and above
//	0x80  two continuations: right exactly where the question has the answer yes
//
// Bytes before the first count as zeros.
//
// The idea is that of Keiser and Lemire, "Validating UTF-8 in less than one
// instruction per byte". Measured on a Zen 4 with a megabyte of short strings of many
// scripts (BenchmarkStrings): an eighth of the time with utf8.Valid. Blocks of 64 bytes, with
// AVX-512, were a seventh slower there.

// The table of the upper half of the byte before.
DATA before_high<>+0(SB)/8, $0x0202020202020202
DATA before_high<>+8(SB)/8, $0x610d011180808080
GLOBL before_high<>(SB), RODATA|NOPTR, $16

// That of its lower half.
DATA before_low<>+0(SB)/8, $0xe3e3e3a3838393d7
DATA before_low<>+8(SB)/8, $0xe3e3ebe3e3e3e3e3
GLOBL before_low<>(SB), RODATA|NOPTR, $16

// That of the upper half of the byte.
DATA here_high<>+0(SB)/8, $0x0101010101010101
DATA here_high<>+8(SB)/8, $0x01010101babab6d6
GLOBL here_high<>(SB), RODATA|NOPTR, $16

// Ones, zeros, ones: from n bytes before the zeros on, a mask of the first n bytes,
// and from n bytes behind their start on, one of the last n.
DATA ones_zeros<>+0(SB)/8, $-1
DATA ones_zeros<>+8(SB)/8, $-1
DATA ones_zeros<>+16(SB)/8, $-1
DATA ones_zeros<>+24(SB)/8, $-1
DATA ones_zeros<>+32(SB)/8, $0
DATA ones_zeros<>+40(SB)/8, $0
DATA ones_zeros<>+48(SB)/8, $0
DATA ones_zeros<>+56(SB)/8, $0
DATA ones_zeros<>+64(SB)/8, $-1
DATA ones_zeros<>+72(SB)/8, $-1
DATA ones_zeros<>+80(SB)/8, $-1
DATA ones_zeros<>+88(SB)/8, $-1
GLOBL ones_zeros<>(SB), RODATA|NOPTR, $96

// What the last bytes may be at most, so that no character is cut off.
DATA ends<>+0(SB)/8, $-1
DATA ends<>+8(SB)/8, $-1
DATA ends<>+16(SB)/8, $-1
DATA ends<>+24(SB)/8, $0xbfdfefffffffffff
GLOBL ends<>(SB), RODATA|NOPTR, $32

// CONSTANTS fills Y9 to Y15: the three tables, a mask of lower halves, what
// turns E0 and more, and F0 and more, into 80 and more, and 80.
#define CONSTANTS \
	VBROADCASTI128 before_high<>(SB), Y9 \
	VBROADCASTI128 before_low<>(SB), Y10 \
	VBROADCASTI128 here_high<>(SB), Y11  \
	MOVL           $0x0f0f0f0f, AX       \
	VMOVD          AX, X12               \
	VPBROADCASTD   X12, Y12              \
	MOVL           $0x60606060, AX       \
	VMOVD          AX, X13               \
	VPBROADCASTD   X13, Y13              \
	MOVL           $0x70707070, AX       \
	VMOVD          AX, X14               \
	VPBROADCASTD   X14, Y14              \
	MOVL           $0x80808080, AX       \
	VMOVD          AX, X15               \
	VPBROADCASTD   X15, Y15

// FIRST fills Y1 to Y3 with the bytes one, two and three before those of Y0, which
// are the first.
#define FIRST \
	VPERM2I128 $0x08, Y0, Y0, Y4 \
	VPALIGNR   $15, Y4, Y0, Y1   \
	VPALIGNR   $14, Y4, Y0, Y2   \
	VPALIGNR   $13, Y4, Y0, Y3

// CHECK clears the zero flag where bytes of Y0 are wrong.
#define CHECK \
	VPSRLW   $4, Y0, Y0     \
	VPAND    Y12, Y0, Y0    \
	VPSHUFB  Y0, Y11, Y0    \
	VPAND    Y12, Y1, Y4    \
	VPSHUFB  Y4, Y10, Y4    \
	VPSRLW   $4, Y1, Y1     \
	VPAND    Y12, Y1, Y1    \
	VPSHUFB  Y1, Y9, Y1     \
	VPAND    Y4, Y0, Y0     \
	VPAND    Y1, Y0, Y0     \
	VPSUBUSB Y13, Y2, Y2    \
	VPSUBUSB Y14, Y3, Y3    \
	VPOR     Y3, Y2, Y2     \
	VPAND    Y15, Y2, Y2    \
	VPXOR    Y2, Y0, Y0     \
	VPTEST   Y0, Y0

// func validAVX2(p *byte, n int) bool
//
// Blocks of 32 bytes, the last of which ends where the bytes do: n is 35 at least,
// so that three bytes are before it.
TEXT ·validAVX2(SB), NOSPLIT, $0-17
	MOVQ    p+0(FP), SI
	MOVQ    n+8(FP), DX
	CONSTANTS
	LEAQ    -32(SI)(DX*1), DI // the last block
	VMOVDQU (SI), Y0
	FIRST

block:
	VPMOVMSKB Y0, AX
	CHECK
	JNZ       wrong
	CMPQ      SI, DI
	JEQ       ended
	TESTL     AX, AX
	JZ        plain

next:
	ADDQ    $32, SI
	CMPQ    SI, DI
	CMOVQHI DI, SI
	VMOVDQU (SI), Y0
	VMOVDQU -1(SI), Y1
	VMOVDQU -2(SI), Y2
	VMOVDQU -3(SI), Y3
	JMP     block

	// The block is ASCII, so that no character goes on behind it. ASCII behind it is skipped,
	// 128 bytes at a time, but for the last block of all. What is at SI then is ASCII, too.
plain:
	LEAQ    160(SI), CX
	CMPQ    CX, DI
	JHI     next
	VMOVDQU 32(SI), Y5
	VPOR    64(SI), Y5, Y5
	VPOR    96(SI), Y5, Y5
	VPOR    128(SI), Y5, Y5
	VPTEST  Y15, Y5
	JNZ     next
	ADDQ    $128, SI
	JMP     plain

ended:
	VMOVDQU  (DI), Y0
	VPSUBUSB ends<>(SB), Y0, Y0
	VPTEST   Y0, Y0
	JNZ      wrong
	VZEROUPPER
	MOVB     $1, ret+16(FP)
	RET

wrong:
	VZEROUPPER
	MOVB $0, ret+16(FP)
	RET

// func validFirstAVX2(p *byte, n int) bool
//
// The first n of 32 bytes, 31 at most: what is missing at their end shows behind it.
TEXT ·validFirstAVX2(SB), NOSPLIT, $0-17
	MOVQ    p+0(FP), SI
	MOVQ    n+8(FP), CX
	CONSTANTS
	LEAQ    ones_zeros<>+32(SB), DX
	SUBQ    CX, DX
	VMOVDQU (SI), Y0
	VPAND   (DX), Y0, Y0
	FIRST
	CHECK
	SETEQ   ret+16(FP)
	VZEROUPPER
	RET

// func validLastAVX2(p *byte, n int) bool
//
// The last n of 32 bytes, 32 at most.
TEXT ·validLastAVX2(SB), NOSPLIT, $0-17
	MOVQ     p+0(FP), SI
	MOVQ     n+8(FP), CX
	CONSTANTS
	LEAQ     ones_zeros<>+32(SB), DX
	VMOVDQU  (SI), Y0
	VPAND    (DX)(CX*1), Y0, Y0
	VPSUBUSB ends<>(SB), Y0, Y5
	FIRST
	CHECK
	SETEQ    AX
	VPTEST   Y5, Y5
	SETEQ    CX
	ANDB     CX, AX
	MOVB     AX, ret+16(FP)
	VZEROUPPER
	RET

// func textsAVX2(r *Texts)
//
// A string at a time, if it has at most 28 bytes: then all of it, and the NUL behind
// it, where what is missing shows, is in 32 lanes: the 32 bytes from its first on, or
// where the buffer has no more so many, those that end with the NUL.
TEXT ·textsAVX2(SB), NOSPLIT, $0-8
	MOVQ r+0(FP), DI
	CONSTANTS
	MOVQ Texts_P(DI), SI
	MOVQ Texts_N(DI), R8
	SUBQ $4, R8      // where the last four bytes are
	MOVQ Texts_At(DI), R9  // the offset in work
	MOVQ Texts_Bytes(DI), R10 // bytes that count
	MOVQ Texts_Left(DI), R11 // bytes of strings that may still be met
	MOVQ Texts_Align(DI), R12 // alignment minus one
	LEAQ ones_zeros<>+32(SB), R13
	JMP  next

string:
	MOVL    (SI)(R9*1), AX
	MOVQ    R8, DX
	SUBQ    R9, DX
	LEAQ    -1(AX), CX
	CMPQ    CX, DX
	JAE     done
	SUBQ    AX, DX           // the bytes behind its length
	ADDQ    R9, AX
	TESTQ   R12, AX
	JNZ     done
	MOVL    (SI)(AX*1), CX
	CMPQ    CX, $28
	JA      done
	CMPQ    CX, DX           // the byte behind it is inside, too
	JAE     done
	LEAQ    4(SI)(AX*1), AX
	CMPB    (AX)(CX*1), $0
	JNE     done
	CMPQ    CX, R11
	JGT     done
	CMPQ    DX, $32
	JB      near
	MOVQ    R13, DX
	SUBQ    CX, DX
	VMOVDQU (AX), Y0
	VPAND   (DX), Y0, Y0

look:
	FIRST
	CHECK
	JNZ     done
	SUBQ    CX, R11
	LEAQ    5(R10)(CX*1), R10
	ADDQ    $4, R9

next:
	CMPQ R9, Texts_End(DI)
	JB   string
	JMP  done

near:
	LEAQ    -31(AX)(CX*1), AX
	CMPQ    AX, SI
	JB      done
	VMOVDQU (AX), Y0
	VPAND   1(R13)(CX*1), Y0, Y0
	JMP     look

done:
	MOVQ R9, Texts_At(DI)
	MOVQ R10, Texts_Bytes(DI)
	MOVQ R11, Texts_Left(DI)
	VZEROUPPER
	RET
