// Prints the frames of an address: lookup ARCHIVE ADDRESS.
package main

// #cgo pkg-config: lidia
// #include <lidia-c/lidia.h>
// #include <stdlib.h>
import "C"

import (
	"fmt"
	"os"
	"strconv"
	"unsafe"
)

func check(status C.lidia_status, err *C.lidia_error) {
	if status != C.LIDIA_OK {
		fmt.Fprintln(os.Stderr, C.GoString(C.lidia_error_message(err)))
		os.Exit(1)
	}
}

func main() {
	path := C.CString(os.Args[1])
	defer C.free(unsafe.Pointer(path))
	number, _ := strconv.ParseUint(os.Args[2], 0, 64)
	address := C.uint64_t(number)

	var err *C.lidia_error
	var archive *C.lidia_archive
	check(C.lidia_archive_open(path, nil, &archive, &err), err)
	defer C.lidia_archive_close(archive)
	var lookup *C.lidia_lookup
	check(C.lidia_lookup_create(archive, nil, &lookup, &err), err)
	defer C.lidia_lookup_free(lookup)
	check(C.lidia_lookup_addresses(lookup, &address, 1, &err), err)
	for i := C.size_t(0); i != C.lidia_lookup_frame_count(lookup, 0); i++ {
		var frame C.lidia_frame
		C.lidia_init(unsafe.Pointer(&frame), C.sizeof_lidia_frame)
		check(C.lidia_lookup_get_frame(lookup, 0, i, &frame, &err), err)
		fmt.Printf("%s at %s:%d\n", C.GoString(frame.function), C.GoString(frame.file), frame.line)
	}
}
