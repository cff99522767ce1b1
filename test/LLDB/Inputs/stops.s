# A function in assembly that another one calls.
        .text
        .globl  main
        .type   main, @function
main:
        subq    $8, %rsp
        call    helper
        xorl    %eax, %eax
        addq    $8, %rsp
        ret
        .size   main, . - main

        .globl  helper
        .type   helper, @function
helper:
        movl    $1, %eax
        addl    $2, %eax
        ret
        .size   helper, . - helper

        .section .note.GNU-stack,"",@progbits
