# Functions of an assembly file, which have lines only. The second one is not used.
.subsections_via_symbols
.globl _assembled, _unusedThree
_assembled:
  movl %edi, %eax
  incl %eax
  retq
_unusedThree:
  xorl %eax, %eax
  retq
