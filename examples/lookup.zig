//! Prints the frames of an address: lookup ARCHIVE ADDRESS.
//! `zig translate-c` makes the declarations of all functions from lidia-c/lidia.h.
const Text = [*:0]const u8;
const Object = ?*anyopaque;
const Frame = extern struct {
    struct_size: usize,
    function: Text,
    function_length: usize,
    file: Text,
    file_length: usize,
    line: u32,
    column: u32,
    is_inlined: u32,
};
extern fn lidia_init(structure: *Frame, size: usize) void;
extern fn lidia_error_message(err: Object) Text;
extern fn lidia_archive_open(path: Text, options: Object, archive: *Object, err: *Object) c_int;
extern fn lidia_archive_close(archive: Object) void;
extern fn lidia_lookup_create(archive: Object, options: Object, lookup: *Object, err: *Object) c_int;
extern fn lidia_lookup_free(lookup: Object) void;
extern fn lidia_lookup_addresses(lookup: Object, addresses: *const u64, count: usize, err: *Object) c_int;
extern fn lidia_lookup_frame_count(lookup: Object, index: usize) usize;
extern fn lidia_lookup_get_frame(lookup: Object, index: usize, number: usize, frame: *Frame, err: *Object) c_int;
extern fn dprintf(file: c_int, format: Text, ...) c_int;
extern fn exit(status: c_int) noreturn;
extern fn strtoull(text: Text, end: ?*anyopaque, base: c_int) u64;

fn check(status: c_int, err: Object) void {
    if (status == 0) return;
    _ = dprintf(2, "%s\n", lidia_error_message(err));
    exit(1);
}

pub export fn main(_: c_int, argv: [*]Text) c_int {
    const address = strtoull(argv[2], null, 0);
    var err: Object = null;
    var archive: Object = null;
    check(lidia_archive_open(argv[1], null, &archive, &err), err);
    defer lidia_archive_close(archive);
    var lookup: Object = null;
    check(lidia_lookup_create(archive, null, &lookup, &err), err);
    defer lidia_lookup_free(lookup);
    check(lidia_lookup_addresses(lookup, &address, 1, &err), err);
    var i: usize = 0;
    while (i != lidia_lookup_frame_count(lookup, 0)) : (i += 1) {
        var frame: Frame = undefined;
        lidia_init(&frame, @sizeOf(Frame));
        check(lidia_lookup_get_frame(lookup, 0, i, &frame, &err), err);
        _ = dprintf(1, "%s at %s:%u\n", frame.function, frame.file, frame.line);
    }
    return 0;
}
