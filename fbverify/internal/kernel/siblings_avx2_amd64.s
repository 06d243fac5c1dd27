//go:build !fbportable

#include "textflag.h"
#include "go_asm.h"

// Eight tables at a time. Measured on a Zen 4 with a Vortex layout of 128 columns of
// 32 leaves with two vectors each (BenchmarkRoot, shape Layout): 0.6 of the time with
// siblingsScalar. Gathers take most of it, five for each eight such tables; sixteen
// at a time, with AVX-512, were no faster.

DATA lanes<>+0(SB)/8, $0x0000000400000000
DATA lanes<>+8(SB)/8, $0x0000000c00000008
DATA lanes<>+16(SB)/8, $0x0000001400000010
DATA lanes<>+24(SB)/8, $0x0000001c00000018
GLOBL lanes<>(SB), RODATA|NOPTR, $32

// How many bytes a block of eight tables that lie side by side takes, less one: beyond
// that the next ones are hard to foresee.
#define NEAR 4096

// ASK asks for the table that the offset leads to that is at AX and so many bytes.
#define ASK(at) \
	MOVL       at(AX), CX     \
	PREFETCHT0 at(AX)(CX*1)

// func siblingsAVX2(r *Run)
//
// As many blocks of eight as are good in all lanes. The run is one that wide()
// holds of: positions and rooms are below 1<<31, so that lanes of 32 bits do, and
// an index of a gather is no negative number. An offset is compared with its room
// before anything is read at its end, so no lane reads outside the buffer. That
// position minus vtable offset is taken modulo 1<<32 is no harm: what it can be
// otherwise is between -(1<<31) and 1<<32, where no two numbers that are equal
// modulo 1<<32 have one of them below 1<<31 and not negative.
//
// AVX2 has no unsigned comparisons: a <= b is min(a, b) == a, and a < b is that
// max(a, b) is not a.
//
// Throughout: DI the Run, SI the buffer, BX the shape, R9 the offsets in work,
// R13 how many tables were good, R15 the end of the shape's vectors, and in every
// lane: Y15 the position of the buffer's last four bytes, Y13 Reach-4, Y12 Mask,
// Y11 Want, Y10 Align, Y9 ones. Y7 has the bytes of vectors so far, in lanes of 64
// bits, and Y8 those of the block.
TEXT ·siblingsAVX2(SB), NOSPLIT, $0-8
	MOVQ         r+0(FP), DI
	MOVQ         Run_P(DI), SI
	MOVQ         Run_N(DI), R8
	SUBQ         $4, R8
	MOVQ         Run_At(DI), R9
	MOVQ         (Run_Kinds+Kind_Shape)(DI), BX
	VMOVD        R8, X15
	VPBROADCASTD X15, Y15
	MOVQ         Shape_Reach(BX), AX
	SUBQ         $4, AX
	VMOVD        AX, X13
	VPBROADCASTD X13, Y13
	VPBROADCASTD Shape_Mask(BX), Y12
	VPBROADCASTD Shape_Want(BX), Y11
	VPBROADCASTD Run_Align(DI), Y10
	VPCMPEQD     Y9, Y9, Y9
	VPXOR        Y7, Y7, Y7
	MOVQ         Shape_Vectors(BX), R15
	MOVQ         (Shape_Vectors+8)(BX), R10
	SHLQ         $4, R10 // Vector__size is 16
	ADDQ         R10, R15
	XORL         R13, R13
	JMP          next

block:
	VMOVDQU      (SI)(R9*1), Y0
	VMOVD        R9, X1
	VPBROADCASTD X1, Y1
	VPADDD       lanes<>(SB), Y1, Y1 // where the offsets are
	VPSUBD       Y1, Y15, Y2            // their rooms
	VPADDD       Y9, Y0, Y3             // offset-1
	VPMAXUD      Y2, Y3, Y4
	VPCMPEQD     Y4, Y3, Y3
	VPTEST       Y3, Y3                 // not below the room
	JNZ          done                   // in any lane
	VPADDD       Y0, Y1, Y1             // the tables

	// Gathers that miss the caches take many times as long as plain loads do: what comes
	// next is asked for early. Tables that were written one after the other lie so, behind
	// this vector's end, too: the first and the last of a block say where those will be
	// that are 28 to 35 tables on. Where a block is scattered offsets do. Nothing happens
	// where there is no such address.
	VMOVD        X1, AX
	VEXTRACTI128 $1, Y1, X2
	VPEXTRD      $3, X2, CX
	SUBQ         AX, CX
	LEAQ         NEAR(CX), R10
	CMPQ         R10, $(2*NEAR)
	JAE          scattered
	ADDQ         SI, AX
	LEAQ         (AX)(CX*4), AX
	SARQ         $3, CX
	LEAQ         (CX)(CX*2), R10
	PREFETCHT0   (AX)
	PREFETCHT0   (AX)(CX*1)
	PREFETCHT0   (AX)(CX*2)
	PREFETCHT0   (AX)(R10*1)
	LEAQ         (AX)(CX*4), AX
	PREFETCHT0   (AX)
	PREFETCHT0   (AX)(CX*1)
	PREFETCHT0   (AX)(CX*2)
	PREFETCHT0   (AX)(R10*1)

asked:
	VPSUBD       Y1, Y15, Y2            // the rooms behind them
	VMOVDQA      Y9, Y3
	VPGATHERDD   Y3, (SI)(Y1*1), Y4
	VPBROADCASTD (Run_Kinds+Kind_VTable)(DI), Y5
	VPSUBD       Y4, Y1, Y4
	VPCMPEQD     Y5, Y4, Y4             // the vtable
	VPMINUD      Y2, Y13, Y5
	VPCMPEQD     Y13, Y5, Y5            // Reach-4 <= room
	VPAND        Y5, Y4, Y4
	VPAND        Y1, Y12, Y5
	VPCMPEQD     Y11, Y5, Y5
	VPAND        Y5, Y4, Y4
	VPTEST       Y9, Y4                 // all of it
	JCC          done                   // unless in all lanes
	VMOVDQA      Y1, Y6                 // alignments
	VPXOR        Y8, Y8, Y8
	MOVQ         Shape_Vectors(BX), R10
	SUBQ         R15, R10
	JZ           checked

vector:
	VPBROADCASTD Vector_Slot(R15)(R10*1), Y0
	VPADDD       Y0, Y1, Y3   // the slots, within Reach
	VPSUBD       Y0, Y2, Y4   // their rooms
	VMOVDQA      Y9, Y5
	VPGATHERDD   Y5, (SI)(Y3*1), Y0
	VPADDD       Y9, Y0, Y5   // offset-1
	VPMAXUD      Y4, Y5, Y14
	VPCMPEQD     Y14, Y5, Y5
	VPTEST       Y5, Y5       // not below the room
	JNZ          done         // in any lane
	VPADDD       Y0, Y3, Y3   // the vectors
	VPSUBD       Y0, Y4, Y4   // the rooms behind their lengths
	VPOR         Y3, Y6, Y6
	VMOVDQA      Y9, Y5
	VPGATHERDD   Y5, (SI)(Y3*1), Y0
	VPBROADCASTD Vector_Shift(R15)(R10*1), Y14
	VPSRLVD      Y14, Y4, Y4
	VPMINUD      Y4, Y0, Y5
	VPCMPEQD     Y0, Y5, Y5   // length <= room / size
	VPTEST       Y9, Y5
	JCC          done         // unless in all lanes
	VPSLLVD      Y14, Y0, Y0  // at most the room
	VPSRLQ       $32, Y0, Y3
	VPADDQ       Y3, Y8, Y8
	VPSLLQ       $32, Y0, Y0
	VPSRLQ       $32, Y0, Y0
	VPADDQ       Y0, Y8, Y8
	ADDQ         $Vector__size, R10
	JNZ          vector

checked:
	VPTEST Y10, Y6
	JNZ    done
	VPADDQ Y8, Y7, Y7
	ADDQ   $32, R9
	ADDQ   $8, R13

	JMP    next

scattered:
	LEAQ 96(R9), AX
	CMPQ AX, Run_End(DI)
	JA   asked
	LEAQ 64(SI)(R9*1), AX
	ASK(0)
	ASK(4)
	ASK(8)
	ASK(12)
	ASK(16)
	ASK(20)
	ASK(24)
	ASK(28)
	JMP  asked

next:
	LEAQ 32(R9), AX
	CMPQ AX, Run_End(DI)
	JBE  block

done:
	VEXTRACTI128 $1, Y7, X1
	VPADDQ       X1, X7, X0
	VPSRLDQ      $8, X0, X1
	VPADDQ       X1, X0, X0
	VMOVQ        X0, AX
	MOVQ         Shape_Bytes(BX), CX
	IMULQ        R13, CX
	ADDQ         CX, AX
	ADDQ         AX, Run_Bytes(DI)
	IMULQ        Shape_Work(BX), R13
	SUBQ         R13, Run_Left(DI)
	MOVQ         R9, Run_At(DI)
	VZEROUPPER
	RET
