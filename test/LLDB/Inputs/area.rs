#[inline(never)]
fn rectangle(width: u32, height: u32) -> u32 {
    let product = width * height;
    product + 0
}

fn main() {
    let total = rectangle(3, 4);
    println!("{}", total);
}
