// Crashes in the way that its argument names.
package main

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"unsafe"
)

type shape interface{ area() int }
type square struct{ side *int }

func (s square) area() int { return *s.side }

//go:noinline
func fail(how string, depth int) int {
	if depth > 0 {
		return fail(how, depth-1) + 1
	}
	var array []int
	var pointer *int
	var table map[string]int
	var function func()
	var any interface{} = "text"
	switch how {
	case "nil":
		return *pointer
	case "map":
		table["a"] = 1
	case "index":
		return array[depth+5]
	case "slice":
		return len(array[depth+5:])
	case "divide":
		return 1 / depth
	case "function":
		function()
	case "assert":
		return any.(int)
	case "method":
		var s shape = square{}
		return s.area()
	case "interface":
		var s shape
		return s.area()
	case "panic":
		panic("text")
	case "error":
		panic(errors.New("text"))
	case "deferred":
		defer func() { fail("nil", 2) }()
		return 1
	case "again":
		defer func() { panic(recover()) }()
		panic("first")
	case "closed":
		c := make(chan int)
		close(c)
		close(c)
	case "unlock":
		var m sync.Mutex
		m.Unlock()
	case "address":
		*(*int)(unsafe.Pointer(uintptr(0xfedcba98))) = 1
	case "overflow":
		return fail("overflow", 1000) + fail("overflow", 1000)
	case "kill":
		syscall.Kill(os.Getpid(), syscall.SIGABRT)
		for {
		}
	case "goroutine":
		go fail("nil", 3)
		select {}
	case "locked":
		go func() {
			fail("index", 1)
		}()
		select {}
	}
	return 0
}

func main() { os.Exit(fail(os.Args[1], 3)) }
