// main calls outer, outer calls middle in C, and that calls inner in Go again, which calls wait in C.
// With SPIN set, outer calls inner in a comparison of sort.Slice, all in Go, and inner is busy for a
// while; else wait waits for the file "go", and crashes.
package main

/*
#include <fcntl.h>
#include <unistd.h>

extern void goInner(void);

static void middle(void) {
  goInner();
  __asm__ volatile("");
}

static void waitAndCrash(void) {
  close(creat("ready", 0600));
  while (access("go", F_OK))
    usleep(1000);
  *(volatile int *)8 = 1;
}
*/
import "C"

import (
	"os"
	"sort"
)

var sink int

//go:noinline
func spin() {
	for i := 0; i < 1000000000; i++ {
		sink++
	}
}

//export goInner
func goInner() {
	C.waitAndCrash()
	sink++
}

//go:noinline
func outer() {
	if os.Getenv("SPIN") == "" {
		C.middle()
		return
	}
	values := []int{2, 1}
	sort.Slice(values, func(i, j int) bool {
		spin()
		return values[i] < values[j]
	})
}

func main() {
	outer()
}
