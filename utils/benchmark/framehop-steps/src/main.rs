//! Steps of the unwinder framehop, for measure-unwind-steps.py.
//!
//!     framehop-steps BINARY ADDRESSES ROUNDS
//!
//! BINARY is an ELF file for x86-64. ADDRESSES is a file with one hexadecimal
//! return address on each line. Makes one step from each address, and repeats this
//! ROUNDS times. Prints the nanoseconds for a step, and the number of addresses with
//! a step. All words of the stack have the value of the first address. The registers
//! are those of UnwindBenchmark.cpp.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use framehop::x86_64::{CacheX86_64, UnwindRegsX86_64, UnwinderX86_64};
use framehop::{ExplicitModuleSectionInfo, FrameAddress, Module, Unwinder};
use object::{Object, ObjectSection, ObjectSegment};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const STACK_POINTER: u64 = 0x7fff_0000_0000;
const FRAME_POINTER: u64 = STACK_POINTER + 0x1000;

fn read_addresses(path: &str) -> Result<Vec<u64>> {
    fs::read_to_string(path)?
        .lines()
        .map(|line| Ok(u64::from_str_radix(line.trim().trim_start_matches("0x"), 16)?))
        .collect()
}

/// The module in the file `bytes`, loaded at its linked addresses.
fn module(bytes: &[u8]) -> Result<Module<Vec<u8>>> {
    let file = object::File::parse(bytes)?;
    let section = |name: &str| -> (Option<Range<u64>>, Option<Vec<u8>>) {
        match file.section_by_name(name) {
            Some(section) => (
                Some(section.address()..section.address() + section.size()),
                section.data().ok().map(<[u8]>::to_vec),
            ),
            None => (None, None),
        }
    };
    let (text_svma, text) = section(".text");
    let (eh_frame_svma, eh_frame) = section(".eh_frame");
    let (eh_frame_hdr_svma, eh_frame_hdr) = section(".eh_frame_hdr");
    let end = file.segments().map(|s| s.address() + s.size()).max();
    Ok(Module::new(
        "binary".to_string(),
        0..end.ok_or("no segments")?,
        0,
        ExplicitModuleSectionInfo {
            text_svma,
            text,
            got_svma: section(".got").0,
            eh_frame_svma,
            eh_frame,
            eh_frame_hdr_svma,
            eh_frame_hdr,
            ..Default::default()
        },
    ))
}

/// Makes a step from each of `addresses`, and returns the number of successes.
fn step_all(
    unwinder: &UnwinderX86_64<Vec<u8>>,
    cache: &mut CacheX86_64,
    addresses: &[u64],
) -> usize {
    let word = addresses[0];
    let mut read_stack = |_| Ok(word);
    let mut steps = 0;
    for &address in addresses {
        let Some(from) = FrameAddress::from_return_address(address) else {
            continue;
        };
        let mut registers = UnwindRegsX86_64::new(address, STACK_POINTER, FRAME_POINTER);
        let caller = unwinder.unwind_frame(from, &mut registers, cache, &mut read_stack);
        steps += usize::from(matches!(caller, Ok(Some(_))));
        black_box(registers.sp());
    }
    steps
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, binary, addresses, rounds] = arguments.as_slice() else {
        return Err("framehop-steps BINARY ADDRESSES ROUNDS".into());
    };
    let addresses = read_addresses(addresses)?;
    let rounds: usize = rounds.parse()?;
    if addresses.is_empty() || rounds == 0 {
        return Err("no addresses, or no rounds".into());
    }
    let mut unwinder = UnwinderX86_64::new();
    unwinder.add_module(module(&fs::read(binary)?)?);
    let mut cache = CacheX86_64::new();
    let steps = step_all(&unwinder, &mut cache, &addresses);
    let start = Instant::now();
    for _ in 0..rounds {
        black_box(step_all(&unwinder, &mut cache, &addresses));
    }
    let nanoseconds = start.elapsed().as_nanos() as f64 / (rounds * addresses.len()) as f64;
    println!("{nanoseconds:.1} {steps}");
    Ok(())
}
