// Rust without its library: modules, generics, traits, closures, inlined calls.
// Line numbers are part of the tests: append only.

#![no_std]
#![no_main]

use core::sync::atomic::{AtomicU32, Ordering};

static SINK: AtomicU32 = AtomicU32::new(0);

#[inline(always)]
fn record(value: u32) {
    SINK.store(value, Ordering::Relaxed);
}

pub mod shapes {
    pub trait Area {
        fn area(&self) -> u32;
    }

    pub struct Square(pub u32);
    pub struct Pair<T>(pub T, pub T);

    impl Area for Square {
        #[inline(never)]
        fn area(&self) -> u32 {
            crate::record(self.0);
            self.0.wrapping_mul(self.0)
        }
    }

    impl<T: Copy + Into<u32>> Area for Pair<T> {
        #[inline(never)]
        fn area(&self) -> u32 {
            let a: u32 = self.0.into();
            let b: u32 = self.1.into();
            crate::record(a);
            a.wrapping_mul(b)
        }
    }

    pub mod nested {
        #[inline(never)]
        pub fn function(x: u32) -> u32 {
            crate::record(x);
            x.wrapping_add(1)
        }
    }
}

#[inline(never)]
fn apply<F: Fn(u32) -> u32>(f: F, x: u32) -> u32 {
    f(x).wrapping_add(f(x ^ 1))
}

#[inline(never)]
fn sum(values: &[u8]) -> u32 {
    values
        .iter()
        .map(|v| u32::from(*v))
        .fold(0, |a, b| a.wrapping_add(b))
}

#[no_mangle]
pub extern "C" fn _start() -> ! {
    use shapes::Area;
    record(shapes::Square(3).area());
    record(shapes::Pair(4u8, 5u8).area());
    record(shapes::Pair(6u16, 7u16).area());
    record(shapes::nested::function(8));
    let offset = SINK.load(Ordering::Relaxed);
    record(apply(|x| x.wrapping_add(offset).rotate_left(3), 9));
    record(sum(&[1, 2, 3]));
    loop {}
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
