package main

import (
	"fmt"
	"os"
)

//go:noinline
func work(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += i * i % 7
	}
	return sum
}

func main() {
	fmt.Println(work(len(os.Args)))
	os.Stdin.Read(make([]byte, 1))
}
