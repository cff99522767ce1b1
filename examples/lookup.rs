//! Prints the frames of an address: lookup ARCHIVE ADDRESS.
//! bindgen makes the declarations of all functions from lidia-c/lidia.h.
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr::{null, null_mut};

#[repr(C)]
struct Frame {
    struct_size: usize,
    function: *const c_char,
    function_length: usize,
    file: *const c_char,
    file_length: usize,
    line: u32,
    column: u32,
    is_inlined: u32,
}

type Object = *mut c_void;
#[link(name = "lidia")]
extern "C" {
    fn lidia_error_message(error: Object) -> *const c_char;
    fn lidia_archive_open(p: *const c_char, o: *const c_void, a: *mut Object, e: *mut Object) -> c_int;
    fn lidia_archive_close(archive: Object);
    fn lidia_lookup_create(a: Object, o: *const c_void, l: *mut Object, e: *mut Object) -> c_int;
    fn lidia_lookup_free(lookup: Object);
    fn lidia_lookup_addresses(l: Object, a: *const u64, count: usize, e: *mut Object) -> c_int;
    fn lidia_lookup_frame_count(lookup: Object, index: usize) -> usize;
    fn lidia_lookup_get_frame(l: Object, i: usize, n: usize, f: *mut Frame, e: *mut Object) -> c_int;
}

fn check(status: c_int, error: Object) {
    if status != 0 {
        eprintln!("{}", unsafe { CStr::from_ptr(lidia_error_message(error)) }.to_string_lossy());
        std::process::exit(1);
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let path = CString::new(args[1].as_str()).unwrap();
    let address = u64::from_str_radix(args[2].trim_start_matches("0x"), 16).unwrap();
    let (mut error, mut archive, mut lookup) = (null_mut(), null_mut(), null_mut());
    unsafe {
        check(lidia_archive_open(path.as_ptr(), null(), &mut archive, &mut error), error);
        check(lidia_lookup_create(archive, null(), &mut lookup, &mut error), error);
        check(lidia_lookup_addresses(lookup, &address, 1, &mut error), error);
        for i in 0..lidia_lookup_frame_count(lookup, 0) {
            let mut frame: Frame = std::mem::zeroed();
            frame.struct_size = std::mem::size_of::<Frame>();
            check(lidia_lookup_get_frame(lookup, 0, i, &mut frame, &mut error), error);
            let text = |data| CStr::from_ptr(data).to_string_lossy();
            println!("{} at {}:{}", text(frame.function), text(frame.file), frame.line);
        }
        lidia_lookup_free(lookup);
        lidia_archive_close(archive);
    }
}
