// Goroutines in all states, which print their own stacks before they are looked at.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

//go:noinline
func receive(c chan int) int { return <-c }

//go:noinline
func lock(m *sync.Mutex) { m.Lock() }

//go:noinline
func selects(a, b chan int) {
	select {
	case <-a:
	case <-b:
	}
}

//go:noinline
func creates(c chan int) {
	go receive(c)
	receive(c)
}

//go:noinline
func reads(f *os.File) { f.Read(make([]byte, 1)) }

//go:noinline
func spin() {
	for i := 0; ; i++ {
		if i < 0 {
			return
		}
	}
}

func main() {
	c := make(chan int)
	var m sync.Mutex
	m.Lock()
	for i := 0; i < 3; i++ {
		go receive(c)
	}
	go creates(c)
	go lock(&m)
	go selects(c, c)
	go time.Sleep(time.Hour)
	reader, _, _ := os.Pipe()
	go reads(reader)
	go reads(os.Stdin) // a system call
	go spin()
	time.Sleep(time.Second)
	stacks := make([]byte, 1<<20)
	os.Stdout.Write(stacks[:runtime.Stack(stacks, true)])
	fmt.Println("ready")
	m.Lock()
}
