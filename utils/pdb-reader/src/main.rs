//! Answers addresses by the crate pdb-addr2line.
//!
//!     pdb-reader FILE.pdb < addresses
//!
//! Reads an offset from the image's base in hexadecimal digits per line. Prints for each a
//! line "function|file|line|0" per frame, innermost first, and a line "end".

use pdb_addr2line::{pdb, ContextPdbData};
use std::io::BufRead;

fn main() {
    let path = std::env::args().nth(1).expect("the path of a PDB file");
    let file = std::fs::File::open(path).expect("a file that can be read");
    let pdb = pdb::PDB::open(file).expect("a PDB file");
    let data = ContextPdbData::try_from_pdb(pdb).expect("a PDB file");
    let context = data.make_context().expect("debug information");
    for line in std::io::stdin().lock().lines() {
        let text = line.expect("text");
        let address = u32::from_str_radix(text.trim_start_matches("0x"), 16).expect("an address");
        if let Ok(Some(found)) = context.find_frames(address) {
            for frame in found.frames {
                println!(
                    "{}|{}|{}|0",
                    frame.function.unwrap_or_default(),
                    frame.file.unwrap_or_default(),
                    frame.line.unwrap_or(0)
                );
            }
        }
        println!("end");
    }
}
