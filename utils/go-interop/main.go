//===- main.go - Lidia's Go library, from the command line ----------------===//
//
// Part of the lidia project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE.txt for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Go-reader reads, writes and times archives with the Go module that most
// users of the format have, so that the tests can tell whether that module and
// this project understand each other's files.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/pyroscope/lidia"
)

const usage = `Usage:
  go-reader lookup [-crc] ARCHIVE   answer the hexadecimal addresses on standard
                                    input: a line for each frame, innermost
                                    first, with address, function and file
                                    between tabs; none when nothing is found
  go-reader create BINARY ARCHIVE   write the archive of an ELF file
  go-reader bench ARCHIVE           time lookups in memory: nanoseconds for
                                    each, at random and in ascending order
`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "go-reader: error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 2 && args[0] == "lookup":
		return lookup(args[1])
	case len(args) == 3 && args[0] == "lookup" && args[1] == "-crc":
		return lookup(args[2], lidia.WithCRC())
	case len(args) == 3 && args[0] == "create":
		return lidia.CreateLidia(args[1], args[2], lidia.WithCRC(),
			lidia.WithFiles(), lidia.WithLines())
	case len(args) == 2 && args[0] == "bench":
		return bench(args[1])
	case len(args) == 1 && args[0] == "--help":
		fmt.Print(usage)
		return nil
	}
	fmt.Fprint(os.Stderr, usage)
	return fmt.Errorf("no such command: %q", strings.Join(args, " "))
}

func lookup(path string, options ...lidia.Option) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	// Closes the file, even on failure.
	table, err := lidia.OpenReader(file, options...)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer table.Close()

	out := bufio.NewWriter(os.Stdout)
	var frames []lidia.SourceInfoFrame
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		digits := strings.TrimPrefix(strings.TrimSpace(lines.Text()), "0x")
		address, err := strconv.ParseUint(digits, 16, 64)
		if err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		frames, err = table.Lookup(frames, address)
		if err != nil {
			return fmt.Errorf("%s: %#x: %w", path, address, err)
		}
		for _, frame := range frames {
			fmt.Fprintf(out, "%#x\t%s\t%s\n", address, frame.FunctionName,
				frame.FilePath)
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return out.Flush()
}

// inMemory is an archive that needs no system call to be read: the measurement
// covers the library and not the kernel.
type inMemory struct {
	*bytes.Reader
}

func (inMemory) Close() error { return nil }

// The size of the batch looked up in ascending order, and the length of the
// list of random addresses, as in LookupBenchmark.cpp.
const (
	batch     = 100_000
	addresses = 1 << 20
)

func bench(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	list, err := pickAddresses(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	table, err := lidia.OpenReader(inMemory{bytes.NewReader(data)})
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer table.Close()

	random, err := timeLookups(table, list)
	if err != nil {
		return err
	}
	sorted := append([]uint64(nil), list[:batch]...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i] < sorted[j] })
	ascending, err := timeLookups(table, sorted)
	if err != nil {
		return err
	}
	fmt.Printf("random %.1f\nsorted %.1f\n", random, ascending)
	return nil
}

// pickAddresses returns addresses of code from all over an archive, the same
// each time and distributed like those of LookupBenchmark.cpp: any range with
// equal chance, then any byte of it. The library does not expose its ranges, so
// this reads them from the tables.
func pickAddresses(data []byte) ([]uint64, error) {
	if len(data) < 128 {
		return nil, fmt.Errorf("no archive")
	}
	word := func(offset uint64, size uint64) uint64 {
		if size == 4 {
			return uint64(binary.LittleEndian.Uint32(data[offset:]))
		}
		return binary.LittleEndian.Uint64(data[offset:])
	}
	vaSize, count, vas := word(8, 8), word(16, 8), word(24, 8)
	fieldSize, ranges := word(40, 8), word(56, 8)
	if count == 0 {
		return nil, fmt.Errorf("no ranges")
	}
	random := rand.New(rand.NewSource(7))
	list := make([]uint64, addresses)
	for i := range list {
		index := uint64(random.Int63n(int64(count)))
		length := word(ranges+index*8*fieldSize, fieldSize)
		if length == 0 {
			length = 1
		}
		list[i] = word(vas+index*vaSize, vaSize) +
			uint64(random.Int63n(int64(length)))
	}
	return list, nil
}

// timeLookups returns the nanoseconds that one lookup takes, measured for at
// least a second.
func timeLookups(table *lidia.Table, list []uint64) (float64, error) {
	var frames []lidia.SourceInfoFrame
	done := 0
	start := time.Now()
	for time.Since(start) < time.Second {
		for _, address := range list {
			var err error
			if frames, err = table.Lookup(frames, address); err != nil {
				return 0, err
			}
		}
		done += len(list)
	}
	return float64(time.Since(start).Nanoseconds()) / float64(done), nil
}
