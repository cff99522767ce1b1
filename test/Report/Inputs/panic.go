package main

import "os"

//go:noinline
func pick(values []string, at int) string {
	return values[at] // cause: go-panic
}

func main() {
	println(pick(os.Args, 7))
}
