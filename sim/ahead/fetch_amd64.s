#include "textflag.h"

// func Fetch(x any, lines int)
TEXT ·Fetch(SB), NOSPLIT, $0-24
	MOVQ x_data+8(FP), AX
	MOVQ lines+16(FP), CX
	TESTQ AX, AX
	JEQ done
next:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	SUBQ $1, CX
	JNE next
done:
	RET
