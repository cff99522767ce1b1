use std::io::Read;

#[inline(never)]
fn work(n: usize) -> usize {
    let mut sum = 0;
    for i in 0..n {
        sum += i * i % 7;
    }
    sum
}

fn main() {
    println!("{}", work(std::env::args().count()));
    let _ = std::io::stdin().read(&mut [0]);
}
