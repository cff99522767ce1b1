@ Arm and Thumb functions that only symbols and the line table describe.
        .syntax unified
        .arch   armv7-a
        .text

        .thumb
        .globl  thumbAsm
        .thumb_func
        .type   thumbAsm, %function
thumbAsm:
        movs    r0, #1
        ldr     r1, =0x12345678
        bx      lr
        .size   thumbAsm, . - thumbAsm
        .ltorg

        .globl  thumbUnsized
        .thumb_func
        .type   thumbUnsized, %function
thumbUnsized:
        movs    r0, #2
        bx      lr

        .arm
        .p2align 2
        .globl  armAsm
        .type   armAsm, %function
armAsm:
        mov     r0, #3
        bx      lr
        .size   armAsm, . - armAsm

        .section .note.GNU-stack, "", %progbits
