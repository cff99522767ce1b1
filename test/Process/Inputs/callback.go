// Go calls C, which calls Go, which calls C, which runs the command that the arguments name
// with the stack of this process.
package main

/*
#include <stdlib.h>

static volatile int sink;
extern void fromC(char *);

static void __attribute__((noinline)) c_leaf(char *command) {
  sink = system(command);
}
static void __attribute__((noinline)) c_middle(char *command) {
  c_leaf(command);
  sink++;
}
static void __attribute__((noinline)) c_outer(char *command) {
  fromC(command);
  sink++;
}
*/
import "C"

import (
	"fmt"
	"os"
	"strings"
)

//export fromC
func fromC(command *C.char) { C.c_middle(command) }

//go:noinline
func outer(command string) { C.c_outer(C.CString(command)) }

func main() {
	outer(fmt.Sprintf("llvm-lidia %s -s --no-cache --pid=%d", strings.Join(os.Args[1:], " "), os.Getpid()))
}
