# A unit of debug information with 6 MB in one attribute: to LLDB a program whose
# debug information takes a while to read.
  .section .debug_abbrev,"",@progbits
.Labbrev:
  .byte 1, 0x11, 0        # DW_TAG_compile_unit, no children
  .byte 0x03, 0x08        # DW_AT_name, DW_FORM_string
  .byte 0x1c, 0x04        # DW_AT_const_value, DW_FORM_block4
  .byte 0, 0, 0
  .section .debug_info,"",@progbits
  .long .Lend - .Lbegin
.Lbegin:
  .short 4                # DWARF 4
  .long .Labbrev
  .byte 8                 # Size of an address
  .byte 1
  .asciz "large"
  .long 6000000
  .zero 6000000
.Lend:
  .section .note.GNU-stack,"",@progbits
