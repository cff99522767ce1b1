# Code that symbols and perhaps a line table describe, nothing else.

        .text
        .globl  _start
        .type   _start, @function
_start:
        call    sized
        call    unsized
        call    untyped
        call    aliasTwo
        call    indirect@PLT
        ret
        .size   _start, . - _start

# A function as a compiler would declare it.
        .globl  sized
        .type   sized, @function
sized:
        movl    $1, %eax
        addl    $2, %eax
        ret
        .size   sized, . - sized

        .p2align 4
# Typed, but without size: it reaches to the next symbol.
        .globl  unsized
        .type   unsized, @function
unsized:
        movl    $3, %eax
.Lloop:
        decl    %eax
        jnz     .Lloop
        ret

# Neither type nor size (STT_NOTYPE).
        .globl  untyped
untyped:
        movl    $4, %eax
        ret

# A label that is local but in the symbol table, within a sized function.
        .globl  withLabel
        .type   withLabel, @function
withLabel:
        movl    $5, %eax
insideLabel:
        decl    %eax
        jnz     insideLabel
        ret
        .size   withLabel, . - withLabel

# A local function.
        .type   localFunction, @function
localFunction:
        xorl    %eax, %eax
        ret
        .size   localFunction, . - localFunction

# Two names, one address; and one that is shorter than the other.
        .globl  aliasOne, aliasShort
        .weak   aliasTwo
        .type   aliasOne, @function
        .type   aliasTwo, @function
        .type   aliasShort, @function
aliasOne:
aliasTwo:
aliasShort:
        nop
        nop
        nop
        .size   aliasShort, . - aliasShort
        nop
        ret
        .size   aliasOne, . - aliasOne
        .size   aliasTwo, . - aliasTwo

# One function within another's size.
        .globl  enclosing, enclosed
        .type   enclosing, @function
enclosing:
        nop
        nop
        .type   enclosed, @function
enclosed:
        nop
        nop
        .size   enclosed, . - enclosed
        nop
        ret
        .size   enclosing, . - enclosing

        .globl  indirect
        .type   indirect, @gnu_indirect_function
indirect:
        leaq    localFunction(%rip), %rax
        ret
        .size   indirect, . - indirect

# Another section, whose code no symbol names.
        .section .text.anonymous, "ax", @progbits
        nop
        nop
        ret

# The last function of its section has no size: it reaches to the end.
        .section .text.last, "ax", @progbits
        .globl  lastUnsized
        .type   lastUnsized, @function
lastUnsized:
        nop
        nop
        nop
        ret

# A symbol of data must name no code.
        .data
        .globl  datum
        .type   datum, @object
datum:  .long   1
        .size   datum, 4

        .section .note.GNU-stack, "", @progbits
