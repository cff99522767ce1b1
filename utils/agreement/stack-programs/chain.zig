// main calls outer, outer calls middle, and middle calls inner by qsort. With SPIN set, inner is
// busy for a while; else it waits for the file "go", and crashes.
extern "c" fn getenv(name: [*:0]const u8) ?[*:0]const u8;
extern "c" fn creat(path: [*:0]const u8, mode: c_uint) c_int;
extern "c" fn access(path: [*:0]const u8, mode: c_int) c_int;
extern "c" fn usleep(time: c_uint) c_int;
extern "c" fn qsort(values: [*]u32, count: usize, size: usize, compare: *const fn (?*const anyopaque, ?*const anyopaque) callconv(.c) c_int) void;

var sink: u64 = 0;
var place: usize = 8;

noinline fn inner() void {
    const s: *volatile u64 = &sink;
    if (getenv("SPIN") != null) {
        while (s.* < 1000000000) s.* += 1;
        return;
    }
    _ = creat("ready", 0o600);
    while (access("go", 0) != 0) _ = usleep(1000);
    const p: *volatile usize = &place;
    @as(*volatile u32, @ptrFromInt(p.*)).* = 1;
}

fn compare(a: ?*const anyopaque, b: ?*const anyopaque) callconv(.c) c_int {
    _ = a;
    _ = b;
    inner();
    sink += 1;
    return 0;
}

noinline fn middle(values: [*]u32) void {
    qsort(values, 2, 4, &compare);
    sink += 1;
}

noinline fn outer() void {
    var values = [2]u32{ 2, 1 };
    middle(&values);
    sink += values[0];
}

pub fn main() void {
    outer();
}
