#include "textflag.h"

// func prefetch(x any, lines int)
TEXT ·prefetch(SB), NOSPLIT, $0-24
	MOVQ x_data+8(FP), AX
	MOVQ lines+16(FP), CX
next:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	SUBQ $1, CX
	JNE next
	RET
