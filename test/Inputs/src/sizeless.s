# Two exported functions without a size; only the first one has unwind
# information.
 .text
 .globl described
described:
 .cfi_startproc
 nop
 ret
 .cfi_endproc
 .globl empty
empty:
 ret
 nop
 .section .note.GNU-stack,"",@progbits
