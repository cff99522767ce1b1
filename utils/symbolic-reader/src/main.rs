//! Looks up addresses in a SymCache or Breakpad symbol file. Reads them from standard input in
//! hexadecimal. For each address, prints its frames, innermost first, as
//! "function\tfile:line", and an empty line.
use std::io::{BufRead, Write};
use symbolic_symcache::SymCache;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: symcache-reader FILE")?;
    let mut data = std::fs::read(path)?;
    if data.starts_with(b"MODULE ") {
        let object = symbolic_debuginfo::breakpad::BreakpadObject::parse(&data)?;
        let mut converter = symbolic_symcache::SymCacheConverter::new();
        converter.process_object(&object)?;
        let mut converted = Vec::new();
        converter.serialize(&mut converted)?;
        data = converted;
    }
    let cache = SymCache::parse(&data)?;
    eprintln!("version {} {} {}", cache.version(), cache.debug_id(), cache.arch());
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let address = u64::from_str_radix(line.trim().trim_start_matches("0x"), 16)?;
        for frame in cache.lookup(address) {
            let file = frame.file().map(|f| f.full_path()).unwrap_or_default();
            writeln!(out, "{}\t{}:{}", frame.function().name(), file, frame.line())?;
        }
        writeln!(out)?;
    }
    Ok(())
}
