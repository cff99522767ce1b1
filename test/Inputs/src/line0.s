# Rows of line 0 (code that belongs to no line) between others, a gap that no
# row describes, and rows that go on past the function's end. GNU as drops a
# .loc with line 0 and writes DIEs of its own, so clang assembles this and the
# compile unit is written out: it knows _start and after, not noRow.

        .file   0 "/src" "line0.c"
        .text
        .globl  _start
        .type   _start, @function
_start:
        .loc    0 10 3
        nop
        .loc    0 0 0
        nop
        nop
        .loc    0 12 5
        nop
        .loc    0 12 9
        nop
        .loc    0 13 1
        ret
        .size   _start, . - _start

.Lstart_end:

# No .loc of its own: the last row of _start reaches into it.
        .globl  noRow
        .type   noRow, @function
noRow:
        nop
        ret
        .size   noRow, . - noRow

        .globl  after
        .type   after, @function
after:
        .loc    0 30 1
        nop
        .loc    0 31 1
        ret
        .size   after, . - after
.Lafter_end:

        .section .debug_abbrev, "", @progbits
        .uleb128 1              # Abbreviation 1:
        .uleb128 0x11           # DW_TAG_compile_unit
        .byte   1               # with children
        .uleb128 0x03, 0x08     # DW_AT_name, DW_FORM_string
        .uleb128 0x1b, 0x08     # DW_AT_comp_dir, DW_FORM_string
        .uleb128 0x13, 0x0b     # DW_AT_language, DW_FORM_data1
        .uleb128 0x10, 0x17     # DW_AT_stmt_list, DW_FORM_sec_offset
        .uleb128 0x11, 0x01     # DW_AT_low_pc, DW_FORM_addr
        .uleb128 0x12, 0x06     # DW_AT_high_pc, DW_FORM_data4
        .uleb128 0, 0
        .uleb128 2              # Abbreviation 2:
        .uleb128 0x2e           # DW_TAG_subprogram
        .byte   0               # without children
        .uleb128 0x03, 0x08     # DW_AT_name, DW_FORM_string
        .uleb128 0x3a, 0x0b     # DW_AT_decl_file, DW_FORM_data1
        .uleb128 0x3b, 0x0b     # DW_AT_decl_line, DW_FORM_data1
        .uleb128 0x11, 0x01     # DW_AT_low_pc, DW_FORM_addr
        .uleb128 0x12, 0x06     # DW_AT_high_pc, DW_FORM_data4
        .uleb128 0, 0
        .uleb128 0

        .section .debug_info, "", @progbits
        .long   .Linfo_end - .Linfo
.Linfo:
        .short  5               # version
        .byte   1               # DW_UT_compile
        .byte   8               # address size
        .long   .debug_abbrev
        .uleb128 1              # DW_TAG_compile_unit
        .asciz  "line0.c"
        .asciz  "/src"
        .byte   0x0c            # DW_LANG_C99
        .long   .Lline_table
        .quad   _start
        .long   .Lafter_end - _start
        .uleb128 2              # DW_TAG_subprogram
        .asciz  "_start"
        .byte   0
        .byte   9
        .quad   _start
        .long   .Lstart_end - _start
        .uleb128 2              # DW_TAG_subprogram
        .asciz  "after"
        .byte   0
        .byte   29
        .quad   after
        .long   .Lafter_end - after
        .uleb128 0
.Linfo_end:

        .section .debug_line, "", @progbits
.Lline_table:

        .section .note.GNU-stack, "", @progbits
