//! Looks up addresses in a GSYM or an ELF file. Reads them from standard input in
//! hexadecimal. For each address, prints its frames, innermost first, as
//! "function\tfile:line", and an empty line.
use blazesym::symbolize::source::{Elf, GsymFile, Source};
use blazesym::symbolize::{CodeInfo, Input, Symbolized, Symbolizer};
use std::io::{BufRead, Read, Write};

fn place(info: Option<&CodeInfo>) -> String {
    let Some(info) = info else {
        return ":0".to_string();
    };
    let path = info.to_path();
    format!("{}:{}", path.display(), info.line.unwrap_or(0))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: blazesym-reader FILE")?;
    let mut magic = [0; 4];
    std::fs::File::open(&path)?.read_exact(&mut magic)?;
    let source = if &magic == b"\x7fELF" {
        Source::from(Elf::new(path))
    } else {
        Source::from(GsymFile::new(path))
    };
    let symbolizer = Symbolizer::builder().enable_demangling(false).build();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let address = u64::from_str_radix(line.trim().trim_start_matches("0x"), 16)?;
        let input = Input::VirtOffset(address);
        if let Symbolized::Sym(sym) = symbolizer.symbolize_single(&source, input)? {
            // Inlined calls begin with the outermost.
            for inlined in sym.inlined.iter().rev() {
                writeln!(
                    out,
                    "{}\t{}",
                    inlined.name,
                    place(inlined.code_info.as_ref())
                )?;
            }
            writeln!(out, "{}\t{}", sym.name, place(sym.code_info.as_deref()))?;
        }
        writeln!(out)?;
    }
    Ok(())
}
