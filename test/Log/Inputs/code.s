# Code for the tests of return addresses: the call in "fatal" is the last instruction of
# its function, as that of a function that never returns, so the return address is that of
# "innocent".
  .text
  .globl _start, fatal, innocent, before, __restore_rt
  .type fatal, @function
fatal:
_start:
  nopw 0x12345678(%rax, %rax)
  nop
  nop
  call innocent
  .size fatal, . - fatal
  .type innocent, @function
innocent:
  nopw 0x12345678(%rax, %rax)
  nopw 0(%rax, %rax)
  nop
  ret
  .size innocent, . - innocent
  .type before, @function
before:
  nopw 0x12345678(%rax, %rax)
  nopw 0(%rax, %rax)
  nop
  ret
  .size before, . - before
  .type __restore_rt, @function
__restore_rt:
  nopw 0x12345678(%rax, %rax)
  nopw 0(%rax, %rax)
  nop
  ret
  .size __restore_rt, . - __restore_rt
