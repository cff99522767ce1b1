// Looks addresses up with lidia's C interface.
package main

// #include "lidia-c/lidia.h"
// #include <stdlib.h>
// static void init_frame(lidia_frame *frame) { LIDIA_INIT(*frame); }
import "C"

import (
	"fmt"
	"os"
	"strconv"
	"unsafe"
)

func check(status C.lidia_status, err *C.lidia_error) {
	if status == C.LIDIA_OK {
		return
	}
	fmt.Println("error:", C.GoString(C.lidia_error_message(err)))
	C.lidia_error_free(err)
	os.Exit(1)
}

func main() {
	path := C.CString(os.Args[1])
	defer C.free(unsafe.Pointer(path))
	var err *C.lidia_error
	var archive *C.lidia_archive
	check(C.lidia_archive_open(path, nil, &archive, &err), err)
	defer C.lidia_archive_close(archive)
	var lookup *C.lidia_lookup
	check(C.lidia_lookup_create(archive, nil, &lookup, &err), err)
	defer C.lidia_lookup_free(lookup)

	var addresses []C.uint64_t
	for _, arg := range os.Args[2:] {
		address, err := strconv.ParseUint(arg, 0, 64)
		if err != nil {
			panic(err)
		}
		addresses = append(addresses, C.uint64_t(address))
	}
	check(C.lidia_lookup_addresses(lookup, &addresses[0], C.size_t(len(addresses)), &err), err)
	for i := range addresses {
		count := C.lidia_lookup_frame_count(lookup, C.size_t(i))
		for j := C.size_t(0); j != count; j++ {
			var frame C.lidia_frame
			C.init_frame(&frame)
			check(C.lidia_lookup_get_frame(lookup, C.size_t(i), j, &frame, &err), err)
			fmt.Printf("%s at %s:%d\n", C.GoStringN(frame.function, C.int(frame.function_length)),
				C.GoStringN(frame.file, C.int(frame.file_length)), frame.line)
		}
	}
}
