// main calls outer by a trait object, outer calls middle, and middle calls inner by a closure of
// sort_by. With SPIN set, inner is busy for a while; else it waits for the file "go", and crashes.
use std::hint::black_box;

#[inline(never)]
fn inner() {
    if std::env::var("SPIN").is_ok() {
        for i in 0..1000000000u64 {
            black_box(i);
        }
        return;
    }
    std::fs::write("ready", "").unwrap();
    while !std::path::Path::new("go").exists() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    unsafe { std::ptr::write_volatile(black_box(8usize) as *mut u32, 1) };
}

#[inline(never)]
fn middle(values: &mut [u32]) {
    values.sort_by(|a, b| {
        inner();
        black_box(a).cmp(b)
    });
    black_box(values);
}

trait Shape {
    fn outer(&self);
}

struct Square;

impl Shape for Square {
    #[inline(never)]
    fn outer(&self) {
        middle(&mut [2, 1]);
        black_box(self);
    }
}

fn main() {
    let shape: &dyn Shape = black_box(&Square);
    shape.outer();
}
