// Writes a source bundle of an ELF file with the crate symbolic-debuginfo (12.18, with the features
// "elf" and "sourcebundle"):
//
//     write-sources BINARY BUNDLE RECORDED-PATH=FILE...

use std::fs::File;
use symbolic_debuginfo::elf::ElfObject;
use symbolic_debuginfo::sourcebundle::{SourceBundleWriter, SourceFileInfo, SourceFileType};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let data = std::fs::read(&args[1]).unwrap();
    let object = ElfObject::parse(&data).unwrap();
    let mut writer = SourceBundleWriter::start(File::create(&args[2]).unwrap()).unwrap();
    writer.set_attribute("arch", object.arch().to_string());
    writer.set_attribute("debug_id", object.debug_id().to_string());
    writer.set_attribute("object_name", "inline");
    if let Some(id) = object.code_id() {
        writer.set_attribute("code_id", id.to_string());
    }
    for pair in &args[3..] {
        let (recorded, file) = pair.split_once('=').unwrap();
        let mut info = SourceFileInfo::new();
        info.set_ty(SourceFileType::Source);
        info.set_path(recorded.to_string());
        writer.add_file(recorded.trim_start_matches('/'), File::open(file).unwrap(), info).unwrap();
    }
    writer.finish().unwrap();
}
