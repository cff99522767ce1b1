// Goroutines in all states, which print their own stacks before they are looked at.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
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

// spin is never preempted: the test sets GODEBUG=asyncpreemptoff=1, since a busy
// machine lets other threads see a preempted goroutine for long.
//
//go:noinline
func spin(spins *int32) {
	atomic.StoreInt32(spins, 1)
	for i := 0; ; i++ {
		if i < 0 {
			return
		}
	}
}

func main() {
	// Nothing else ends the program if the test is killed.
	time.AfterFunc(10*time.Minute, func() { os.Exit(1) })
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
	stacks := make([]byte, 1<<20)
	for waits := true; waits; {
		time.Sleep(100 * time.Millisecond)
		stacks = stacks[:runtime.Stack(stacks[:cap(stacks)], true)]
		// The goroutine that calls Stack is the only one that runs.
		waits = bytes.Count(stacks, []byte("[run")) != 1
	}
	var spins int32
	go spin(&spins)
	for atomic.LoadInt32(&spins) == 0 {
		time.Sleep(time.Millisecond)
	}
	os.Stdout.Write(stacks)
	fmt.Println("ready")
	m.Lock()
}
