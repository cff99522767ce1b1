# Instructions that x86 and Arm have under one name.
	.text
	.globl	work
	.type	work, %function
work:
	nop
	nop
	ret
	.size	work, .-work
	.section	.note.GNU-stack,"",%progbits
