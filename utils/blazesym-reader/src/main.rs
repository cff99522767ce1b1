//! Looks up addresses in a GSYM or an ELF file, or of a process. Reads them from standard
//! input in hexadecimal. For each address, prints its frames, innermost first, as
//! "function\tfile:line", and an empty line.
//!
//!     blazesym-reader [--names] FILE
//!     blazesym-reader [--names] --pid PID
//!
//! With --names, debug information is not read. Addresses of a process are passed in one
//! call, and those of a file, too, with --names.
use blazesym::symbolize::source::{Elf, GsymFile, Process, Source};
use blazesym::symbolize::{CodeInfo, Input, Sym, Symbolized, Symbolizer};
use std::io::{BufRead, Read, Write};

fn place(info: Option<&CodeInfo>) -> String {
    let Some(info) = info else {
        return ":0".to_string();
    };
    let path = info.to_path();
    format!("{}:{}", path.display(), info.line.unwrap_or(0))
}

fn print(sym: &Sym, out: &mut impl Write) -> std::io::Result<()> {
    // Inlined calls begin with the outermost.
    for inlined in sym.inlined.iter().rev() {
        writeln!(out, "{}\t{}", inlined.name, place(inlined.code_info.as_ref()))?;
    }
    writeln!(out, "{}\t{}", sym.name, place(sym.code_info.as_deref()))
}

fn source_of(path: &str, names: bool) -> Result<Source<'_>, Box<dyn std::error::Error>> {
    let mut magic = [0; 4];
    std::fs::File::open(path)?.read_exact(&mut magic)?;
    if &magic != b"\x7fELF" {
        return Ok(Source::from(GsymFile::new(path)));
    }
    let mut elf = Elf::new(path);
    elf.debug_syms = !names;
    Ok(Source::from(elf))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const USAGE: &str = "usage: blazesym-reader [--names] FILE|--pid PID";
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let names = args.first().is_some_and(|arg| arg == "--names");
    if names {
        args.remove(0);
    }
    let is_process = args.first().is_some_and(|arg| arg == "--pid");
    let last = args.last().ok_or(USAGE)?;
    let source = if is_process {
        let mut process = Process::new(last.parse::<u32>()?.into());
        process.debug_syms = !names;
        Source::from(process)
    } else {
        source_of(last, names)?
    };
    let mut addresses = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        addresses.push(u64::from_str_radix(line.trim().trim_start_matches("0x"), 16)?);
    }
    let symbolizer = Symbolizer::builder().enable_demangling(false).build();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if is_process || names {
        let input = if is_process {
            Input::AbsAddr(&addresses[..])
        } else {
            Input::VirtOffset(&addresses[..])
        };
        for answer in symbolizer.symbolize(&source, input)? {
            if let Symbolized::Sym(sym) = &answer {
                print(sym, &mut out)?;
            }
            writeln!(out)?;
        }
        return Ok(());
    }
    for address in addresses {
        if let Symbolized::Sym(sym) =
            symbolizer.symbolize_single(&source, Input::VirtOffset(address))?
        {
            print(&sym, &mut out)?;
        }
        writeln!(out)?;
    }
    Ok(())
}
