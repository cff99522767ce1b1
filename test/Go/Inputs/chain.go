// Calls inlined four deep, a generic function, a closure and a method whose
// wrapper is generated: what Go's tables have to tell apart.
package main

type number int

func (n number) next() number { return n + 1 }

type stepper interface{ next() number }

var sink int
var step stepper = new(number)

func one(n int) int   { sink++; return two(n) + 1 }
func two(n int) int   { sink++; return three(n) * 3 }
func three(n int) int { sink++; return four(n) - 5 }
func four(n int) int {
	sink += n
	return n * sink
}

func largest[T int | float64](a, b T) T {
	if a > b {
		return a
	}
	return b
}

//go:noinline
func chain(n int) int {
	return one(n) + largest(n, 7)
}

func main() {
	func() {
		defer println("done")
		println(chain(sink), step.next())
	}()
}
