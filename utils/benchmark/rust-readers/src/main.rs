//! Lookups with Rust libraries, for run-benchmarks.py.
//!
//!     rust-readers symcache-create BINARY SYMCACHE
//!     rust-readers symcache SYMCACHE ADDRESSES
//!     rust-readers blazesym|addr2line BINARY ADDRESSES
//!
//! ADDRESSES is a file with one hexadecimal address on each line. Prints the
//! nanoseconds for an address, including reading all its functions, files and lines,
//! and the number of frames. The time includes a library's preparation at the first
//! lookup, but not opening the file. Names are not demangled.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use blazesym::symbolize::source::{Elf, Source};
use blazesym::symbolize::{Input, Symbolized, Symbolizer};
use symbolic_common::ByteView;
use symbolic_debuginfo::Object;
use symbolic_symcache::{SymCache, SymCacheConverter};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn read_addresses(path: &str) -> Result<Vec<u64>> {
    fs::read_to_string(path)?
        .lines()
        .map(|line| Ok(u64::from_str_radix(line.trim().trim_start_matches("0x"), 16)?))
        .collect()
}

/// Calls `look_up`, which returns the number of frames, and prints the figures.
fn measure(count: usize, look_up: impl FnOnce() -> Result<usize>) -> Result<()> {
    let start = Instant::now();
    let frames = look_up()?;
    let nanoseconds = start.elapsed().as_nanos() as f64 / count.max(1) as f64;
    println!("{nanoseconds:.1} {frames}");
    Ok(())
}

fn create_symcache(binary: &str, out: &str) -> Result<()> {
    let bytes = ByteView::open(binary)?;
    let object = Object::parse(&bytes)?;
    let mut converter = SymCacheConverter::new();
    converter.process_object(&object)?;
    converter.serialize(&mut fs::File::create(out)?)?;
    // Addresses in a SymCache are relative to it.
    println!("{:#x}", object.load_address());
    Ok(())
}

fn symcache(path: &str, addresses: &[u64]) -> Result<()> {
    let bytes = ByteView::open(path)?;
    let cache = SymCache::parse(&bytes)?;
    measure(addresses.len(), || {
        let mut frames = 0;
        for &address in addresses {
            for location in cache.lookup(address) {
                frames += 1;
                black_box(location.function().name());
                black_box(location.file().map(|file| file.full_path()));
                black_box(location.line());
            }
        }
        Ok(frames)
    })
}

fn blazesym(path: &str, addresses: &[u64]) -> Result<()> {
    let symbolizer = Symbolizer::builder().enable_demangling(false).build();
    let source = Source::Elf(Elf::new(Path::new(path)));
    measure(addresses.len(), || {
        let mut frames = 0;
        for answer in symbolizer.symbolize(&source, Input::VirtOffset(addresses))? {
            if let Symbolized::Sym(symbol) = answer {
                frames += 1 + symbol.inlined.len();
                black_box(&symbol);
            }
        }
        Ok(frames)
    })
}

fn addr2line(path: &str, addresses: &[u64]) -> Result<()> {
    let loader = addr2line::Loader::new(path).map_err(|error| error.to_string())?;
    measure(addresses.len(), || {
        let mut frames = 0;
        for &address in addresses {
            let mut chain = loader
                .find_frames(address)
                .map_err(|error| error.to_string())?;
            while let Some(frame) = chain.next()? {
                frames += 1;
                if let Some(function) = &frame.function {
                    black_box(function.raw_name()?);
                }
                black_box(frame.location.map(|place| (place.file, place.line)));
            }
        }
        Ok(frames)
    })
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [what, file, other] = &args[..] else {
        return Err("usage: rust-readers WHAT FILE ADDRESSES".into());
    };
    match what.as_str() {
        "symcache-create" => create_symcache(file, other),
        "symcache" => symcache(file, &read_addresses(other)?),
        "blazesym" => blazesym(file, &read_addresses(other)?),
        "addr2line" => addr2line(file, &read_addresses(other)?),
        _ => Err(format!("unknown reader {what}").into()),
    }
}
