//go:build !fbportable

#include "textflag.h"

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
// Bytes before the first and behind the last count as zeros, so what is missing
// at the end shows like any lead byte before an ASCII byte.
//
// The idea is that of Keiser and Lemire, "Validating UTF-8 in less than one
// instruction per byte". Measured on a Zen 4 with a megabyte of short strings of many
// scripts (BenchmarkStrings): an eighth of the time with utf8.Valid.

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

// CONSTANTS fills Z16 to Z22: the three tables, a mask of lower halves, what
// turns E0 and more, and F0 and more, into 80 and more, and 80.
#define CONSTANTS \
	VBROADCASTI32X4 before_high<>(SB), Z16 \
	VBROADCASTI32X4 before_low<>(SB), Z17  \
	VBROADCASTI32X4 here_high<>(SB), Z18   \
	MOVL            $0x0f0f0f0f, AX        \
	VPBROADCASTD    AX, Z19                \
	MOVL            $0x60606060, AX        \
	VPBROADCASTD    AX, Z20                \
	MOVL            $0x70707070, AX        \
	VPBROADCASTD    AX, Z21                \
	MOVL            $0x80808080, AX        \
	VPBROADCASTD    AX, Z22

// CHECK sets K5 where bytes are wrong: R0 has the bytes, R1 to R3 those one, two
// and three before each, C0 to C6 are the constants.
#define CHECK(R0, R1, R2, R3, R4, C0, C1, C2, C3, C4, C5, C6) \
	VPSRLW     $4, R0, R0       \
	VPANDD     C3, R0, R0       \
	VPSHUFB    R0, C2, R0       \
	VPANDD     C3, R1, R4       \
	VPSHUFB    R4, C1, R4       \
	VPSRLW     $4, R1, R1       \
	VPANDD     C3, R1, R1       \
	VPSHUFB    R1, C0, R1       \
	VPTERNLOGD $0x80, R4, R1, R0 \
	VPSUBUSB   C4, R2, R2       \
	VPSUBUSB   C5, R3, R3       \
	VPORD      R3, R2, R2       \
	VPTERNLOGD $0x78, C6, R2, R0 \
	VPTESTMB   R0, R0, K5

// func valid512(p *byte, n int) bool
//
// Blocks of 64 bytes, of which the first looks at nothing before it, and the last
// at nothing behind.
TEXT ·valid512(SB), NOSPLIT, $0-17
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), DX
	CONSTANTS
	MOVQ $-1, R8   // bytes before those one, two and three before that count
	MOVQ $-1, R9
	MOVQ $-1, R10
	MOVQ $-1, DI
	SHLQ $1, R8
	SHLQ $2, R9
	SHLQ $3, R10
	CMPQ DX, $60
	JLE  last

block:
	// DX is above 60: all of the block counts, or all but the last three bytes.
	MOVQ  $64, CX
	CMPQ  DX, CX
	CMOVQLT DX, CX
	BZHIQ CX, DI, AX
	KMOVQ AX, K1
	INCQ  CX
	BZHIQ CX, R8, AX
	KMOVQ AX, K2
	INCQ  CX
	BZHIQ CX, R9, AX
	KMOVQ AX, K3
	INCQ  CX
	BZHIQ CX, R10, AX
	KMOVQ AX, K4
	VMOVDQU8.Z (SI), K1, Z0
	VMOVDQU8.Z -1(SI), K2, Z1
	VMOVDQU8.Z -2(SI), K3, Z2
	VMOVDQU8.Z -3(SI), K4, Z3
	CHECK(Z0, Z1, Z2, Z3, Z4, Z16, Z17, Z18, Z19, Z20, Z21, Z22)
	KORTESTQ K5, K5
	JNZ   wrong
	MOVQ  DI, R8
	MOVQ  DI, R9
	MOVQ  DI, R10
	ADDQ  $64, SI
	SUBQ  $64, DX
	CMPQ  DX, $60
	JGT   block

last:
	// At most 60 bytes, or up to three fewer than none.
	XORL  R11, R11
	MOVQ  DX, CX
	CMPQ  CX, R11
	CMOVQLT R11, CX
	BZHIQ CX, DI, AX
	KMOVQ AX, K1
	LEAQ  1(DX), CX
	CMPQ  CX, R11
	CMOVQLT R11, CX
	BZHIQ CX, R8, AX
	KMOVQ AX, K2
	LEAQ  2(DX), CX
	CMPQ  CX, R11
	CMOVQLT R11, CX
	BZHIQ CX, R9, AX
	KMOVQ AX, K3
	LEAQ  3(DX), CX
	BZHIQ CX, R10, AX
	KMOVQ AX, K4
	VMOVDQU8.Z (SI), K1, Z0
	VMOVDQU8.Z -1(SI), K2, Z1
	VMOVDQU8.Z -2(SI), K3, Z2
	VMOVDQU8.Z -3(SI), K4, Z3
	CHECK(Z0, Z1, Z2, Z3, Z4, Z16, Z17, Z18, Z19, Z20, Z21, Z22)
	KORTESTQ K5, K5
	JNZ   wrong
	VZEROUPPER
	MOVB  $1, ret+16(FP)
	RET

wrong:
	VZEROUPPER
	MOVB $0, ret+16(FP)
	RET

// func texts512(r *Texts)
//
// A string at a time, if it has at most 28 bytes: then all of it, and what is
// missing at its end, is in 32 lanes.
TEXT ·texts512(SB), NOSPLIT, $0-8
	MOVQ r+0(FP), DI
	CONSTANTS
	MOVQ 0(DI), SI
	MOVQ 8(DI), R8
	SUBQ $4, R8      // where the last four bytes are
	MOVQ 16(DI), R9  // the offset in work
	MOVQ 32(DI), R10 // bytes that count
	MOVQ 40(DI), R11 // bytes of strings that may still be met
	MOVQ 48(DI), R12 // alignment minus one
	MOVQ $-1, R13
	JMP  next

string:
	MOVL  (SI)(R9*1), AX
	MOVQ  R8, DX
	SUBQ  R9, DX
	LEAQ  -1(AX), CX
	CMPQ  CX, DX
	JAE   done
	SUBQ  AX, DX           // the bytes behind its length
	ADDQ  R9, AX
	TESTQ R12, AX
	JNZ   done
	MOVL  (SI)(AX*1), CX
	CMPQ  CX, $28
	JA    done
	CMPQ  CX, DX           // the byte behind it is inside, too
	JAE   done
	LEAQ  4(SI)(AX*1), AX
	CMPB  (AX)(CX*1), $0
	JNE   done
	CMPQ  CX, R11
	JGT   done
	BZHIQ CX, R13, DX
	KMOVD DX, K1
	VMOVDQU8.Z (AX), K1, Y0
	ADDL  DX, DX
	KMOVD DX, K2
	VMOVDQU8.Z -1(AX), K2, Y1
	ADDL  DX, DX
	KMOVD DX, K3
	VMOVDQU8.Z -2(AX), K3, Y2
	ADDL  DX, DX
	KMOVD DX, K4
	VMOVDQU8.Z -3(AX), K4, Y3
	CHECK(Y0, Y1, Y2, Y3, Y4, Y16, Y17, Y18, Y19, Y20, Y21, Y22)
	KORTESTD K5, K5
	JNZ   done
	SUBQ  CX, R11
	LEAQ  5(R10)(CX*1), R10
	ADDQ  $4, R9

next:
	CMPQ R9, 24(DI)
	JB   string

done:
	MOVQ R9, 16(DI)
	MOVQ R10, 32(DI)
	MOVQ R11, 40(DI)
	VZEROUPPER
	RET
