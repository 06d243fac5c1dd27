//go:build !fbportable

#include "textflag.h"

// Sixteen tables at a time. Measured on a Zen 4 with a Vortex layout of 128 columns
// of 32 leaves with two vectors each (BenchmarkRoot, shape Layout): 0.63 of the time
// with siblingsScalar, 0.54 of that with siblingsPortable. Gathers take most of it,
// five for each sixteen such tables.

DATA lanes<>+0(SB)/8, $0x0000000400000000
DATA lanes<>+8(SB)/8, $0x0000000c00000008
DATA lanes<>+16(SB)/8, $0x0000001400000010
DATA lanes<>+24(SB)/8, $0x0000001c00000018
DATA lanes<>+32(SB)/8, $0x0000002400000020
DATA lanes<>+40(SB)/8, $0x0000002c00000028
DATA lanes<>+48(SB)/8, $0x0000003400000030
DATA lanes<>+56(SB)/8, $0x0000003c00000038
GLOBL lanes<>(SB), RODATA|NOPTR, $64

// func siblings512(r *Run)
//
// As many blocks of sixteen as are good in all lanes. The run is one that wide()
// holds of: positions and rooms are below 1<<31, so that lanes of 32 bits do, and
// an index of a gather is no negative number. An offset is compared with its room
// before anything is read at its end, so no lane reads outside the buffer. That
// position minus vtable offset is taken modulo 1<<32 is no harm: what it can be
// otherwise is between -(1<<31) and 1<<32, where no two numbers that are equal
// modulo 1<<32 have one of them below 1<<31 and not negative.
//
// Throughout: DI the Run, SI the buffer, BX the shape, R9 the offsets in work,
// R13 how many tables were good, R15 the end of the shape's vectors, and in every
// lane: Z16 the position of the buffer's last four bytes, Z17 the vtable, Z18
// Reach-4, Z19 Mask, Z20 Want, Z21 Align, Z22 one, Z23 four times the lane. Z24
// has the bytes of vectors so far, in lanes of 64 bits, and Z25 those of the block.
TEXT ·siblings512(SB), NOSPLIT, $0-8
	MOVQ         r+0(FP), DI
	MOVQ         0(DI), SI
	MOVQ         8(DI), R8
	SUBQ         $4, R8
	MOVQ         16(DI), R9
	MOVQ         72(DI), BX
	VPBROADCASTD R8, Z16
	VPBROADCASTD 64(DI), Z17
	MOVQ         0(BX), AX
	SUBQ         $4, AX
	VPBROADCASTD AX, Z18
	VPBROADCASTD 8(BX), Z19
	VPBROADCASTD 16(BX), Z20
	VPBROADCASTD 56(DI), Z21
	MOVL         $1, AX
	VPBROADCASTD AX, Z22
	VMOVDQU32    lanes<>(SB), Z23
	VPXORQ       Z24, Z24, Z24
	MOVQ         32(BX), R15
	MOVQ         40(BX), R10
	SHLQ         $4, R10
	ADDQ         R10, R15
	XORL         R13, R13
	JMP          next

block:
	VMOVDQU32    (SI)(R9*1), Z0
	VPBROADCASTD R9, Z1
	VPADDD       Z23, Z1, Z1      // where the offsets are
	VPSUBD       Z1, Z16, Z2      // their rooms
	VPSUBD       Z22, Z0, Z3
	VPCMPUD      $1, Z2, Z3, K1   // offset-1 < room
	KORTESTW     K1, K1
	JCC          done             // unless in all lanes
	VPADDD       Z0, Z1, Z1       // the tables
	VPSUBD       Z1, Z16, Z2      // the rooms behind them
	VPGATHERDD   (SI)(Z1*1), K1, Z4
	VPSUBD       Z4, Z1, Z4
	VPCMPEQD     Z17, Z4, K2      // the vtable
	VPCMPUD      $2, Z2, Z18, K2, K2 // Reach-4 <= room
	VPANDD       Z1, Z19, Z5
	VPCMPEQD     Z20, Z5, K2, K2
	KORTESTW     K2, K2
	JCC          done
	VMOVDQA32    Z1, Z6           // alignments
	VPXORQ       Z25, Z25, Z25
	MOVQ         32(BX), R10
	SUBQ         R15, R10
	JZ           checked

vector:
	VPBROADCASTD (R15)(R10*1), Z7
	VPADDD       Z7, Z1, Z8       // the slots, within Reach
	VPSUBD       Z7, Z2, Z9       // their rooms
	KXNORW       K1, K1, K1
	VPGATHERDD   (SI)(Z8*1), K1, Z0
	VPSUBD       Z22, Z0, Z3
	VPCMPUD      $1, Z9, Z3, K1
	KORTESTW     K1, K1
	JCC          done
	VPADDD       Z0, Z8, Z8       // the vectors
	VPSUBD       Z0, Z9, Z9       // the rooms behind their lengths
	VPORD        Z8, Z6, Z6
	VPGATHERDD   (SI)(Z8*1), K1, Z0
	VPBROADCASTD 8(R15)(R10*1), Z7
	VPSRLVD      Z7, Z9, Z9
	VPCMPUD      $2, Z9, Z0, K1   // length <= room / size
	KORTESTW     K1, K1
	JCC          done
	VPSLLVD      Z7, Z0, Z0       // at most the room
	VPSRLQ       $32, Z0, Z3
	VPADDQ       Z3, Z25, Z25
	VPSLLQ       $32, Z0, Z0
	VPSRLQ       $32, Z0, Z0
	VPADDQ       Z0, Z25, Z25
	ADDQ         $16, R10
	JNZ          vector

checked:
	VPTESTMD Z21, Z6, K1
	KORTESTW K1, K1
	JNZ      done
	VPADDQ   Z25, Z24, Z24
	ADDQ     $64, R9
	ADDQ     $16, R13

next:
	LEAQ 64(R9), AX
	CMPQ AX, 24(DI)
	JBE  block

done:
	VEXTRACTI64X4 $1, Z24, Y0
	VPADDQ        Y0, Y24, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDQ        X1, X0, X0
	VPSRLDQ       $8, X0, X1
	VPADDQ        X1, X0, X0
	VMOVQ         X0, AX
	MOVQ          24(BX), CX
	IMULQ         R13, CX
	ADDQ          CX, AX
	ADDQ          AX, 32(DI)
	IMULQ         0(BX), R13
	SUBQ          R13, 48(DI)
	MOVQ          R9, 16(DI)
	VZEROUPPER
	RET
