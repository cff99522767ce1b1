// Writes the profiles in this folder, with Go 1.26: go run profiles.go
// The others are those of Go's own tests, in src/sort and src/sync of its sources:
//   go test -run Sort -bench Sort1K -benchtime 20x -cpuprofile test-cpu.pb.gz \
//     -memprofile test-heap.pb.gz
//   go test -run 'WaitGroup|Cond' -blockprofile test-block.pb.gz

package main

import (
	"compress/gzip"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

func spin(n int) int {
	s := 0
	for i := 0; i < n; i++ {
		s += i * i
	}
	return s
}

var sink [][]byte

func main() {
	runtime.MemProfileRate = 1024
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	f, _ := os.Create("cpu.pb.gz")
	pprof.StartCPUProfile(f)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := 0; i < 4; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := 0; j < 20; j++ {
				mu.Lock()
				spin(4000000)
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	pprof.StopCPUProfile()
	f.Close()
	w := gzip.NewWriter(io.Discard)
	w.Write(make([]byte, 1<<20))
	for i := 0; i < 50; i++ {
		sink = append(sink, make([]byte, 1<<14))
	}
	go func() { time.Sleep(time.Hour) }()
	runtime.GC()
	for _, n := range []string{"heap", "allocs", "block", "mutex", "goroutine", "threadcreate"} {
		g, _ := os.Create(n + ".pb.gz")
		pprof.Lookup(n).WriteTo(g, 0)
		g.Close()
	}
}
