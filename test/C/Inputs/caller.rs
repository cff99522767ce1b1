//! Looks addresses up with lidia's C interface.

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

#[link(name = "lidia")]
extern "C" {
    fn lidia_error_message(error: *const c_void) -> *const c_char;
    fn lidia_error_free(error: *mut c_void);
    fn lidia_archive_open(path: *const c_char, options: *const c_void,
                          archive: *mut *mut c_void, error: *mut *mut c_void) -> c_int;
    fn lidia_archive_close(archive: *mut c_void);
    fn lidia_lookup_create(archive: *const c_void, options: *const c_void,
                           lookup: *mut *mut c_void, error: *mut *mut c_void) -> c_int;
    fn lidia_lookup_free(lookup: *mut c_void);
    fn lidia_lookup_addresses(lookup: *mut c_void, addresses: *const u64, count: usize,
                              error: *mut *mut c_void) -> c_int;
    fn lidia_lookup_frame_count(lookup: *const c_void, index: usize) -> usize;
    fn lidia_lookup_get_frame(lookup: *mut c_void, index: usize, number: usize,
                              frame: *mut Frame, error: *mut *mut c_void) -> c_int;
}

fn check(status: c_int, error: *mut c_void) {
    if status == 0 {
        return;
    }
    let message = unsafe { CStr::from_ptr(lidia_error_message(error)) };
    println!("error: {}", message.to_string_lossy());
    unsafe { lidia_error_free(error) };
    std::process::exit(1);
}

fn text(data: *const c_char, length: usize) -> String {
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let path = CString::new(args[1].as_str()).unwrap();
    let addresses: Vec<u64> = args[2..]
        .iter()
        .map(|a| u64::from_str_radix(a.trim_start_matches("0x"), 16).unwrap())
        .collect();
    let mut error = null_mut();
    let mut archive = null_mut();
    let mut lookup = null_mut();
    unsafe {
        check(lidia_archive_open(path.as_ptr(), null(), &mut archive, &mut error), error);
        check(lidia_lookup_create(archive, null(), &mut lookup, &mut error), error);
        check(lidia_lookup_addresses(lookup, addresses.as_ptr(), addresses.len(), &mut error),
              error);
        for i in 0..addresses.len() {
            for j in 0..lidia_lookup_frame_count(lookup, i) {
                let mut frame: Frame = std::mem::zeroed();
                frame.struct_size = std::mem::size_of::<Frame>();
                check(lidia_lookup_get_frame(lookup, i, j, &mut frame, &mut error), error);
                println!("{} at {}:{}", text(frame.function, frame.function_length),
                         text(frame.file, frame.file_length), frame.line);
            }
        }
        lidia_lookup_free(lookup);
        lidia_archive_close(archive);
    }
}
