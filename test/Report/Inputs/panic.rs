#[inline(never)]
fn parse(text: &str) -> i32 {
    text.parse().unwrap() // cause: rust-panic
}

fn main() {
    println!("{}", parse("x"));
}
