// The options of all commands. Each option lists its commands.

include "llvm/Option/OptParser.td"
include "ProfileFormats.td"

//===----------------------------------------------------------------------===//
// Commands, by their names in Commands.def
//===----------------------------------------------------------------------===//

def CreateVis : OptionVisibility;
def LookupVis : OptionVisibility;
def SymbolizeVis : OptionVisibility;
def StackVis : OptionVisibility;
def ExplainVis : OptionVisibility;
def ProfileVis : OptionVisibility;
def FilterVis : OptionVisibility;
def ReportVis : OptionVisibility;
def DumpVis : OptionVisibility;
def VerifyVis : OptionVisibility;
def ExportVis : OptionVisibility;
def ShowVis : OptionVisibility;
def CacheVis : OptionVisibility;
def StoreVis : OptionVisibility;
def ServeVis : OptionVisibility;
def CompressVis : OptionVisibility;
def IndexVis : OptionVisibility;

class In<list<OptionVisibility> commands> : Visibility<commands>;
// Help text that differs in one or two of the commands.
class HelpIn<list<OptionVisibility> commands, string help>
  : HelpTextForVariants<commands, help>;

//===----------------------------------------------------------------------===//
// Kinds of options
//===----------------------------------------------------------------------===//

class F<string name, string help> : Flag<["--"], name>, HelpText<help>;

// --name=<value>
class V<string name, string metavar, string help>
  : Joined<["--"], name#"=">, MetaVarName<metavar>, HelpText<help>;

// Another spelling of an option, in the same commands.
class Also<Option of> : Alias<of>, Visibility<of.Visibility>;

// --name and --no-name.
multiclass B<string name, string help1, string help2> {
  def NAME : F<name, help1>;
  def no_#NAME : F<"no-"#name, help2>;
}

// --name=<value> and --name <value>.
multiclass Eq<string name, string metavar, string help> {
  def NAME#_EQ : V<name, metavar, help>;
  def : Separate<["--"], name>, Alias<!cast<Joined>(NAME#_EQ)>;
}

//===----------------------------------------------------------------------===//
// Every command
//===----------------------------------------------------------------------===//

def help : F<"help", "Display this help">;
def : Flag<["-"], "h">, Also<help>;
def version : F<"version", "Display the version">;
def : Flag<["-"], "v">, Alias<version>, HelpText<"Alias for --version">,
  In<[LookupVis, SymbolizeVis, StoreVis]>;

//===----------------------------------------------------------------------===//
// The groups of commands that answer addresses
//===----------------------------------------------------------------------===//

def grp_process : OptionGroup<"process">, HelpText<"INPUT: what is asked">;
def grp_answers : OptionGroup<"answers">, HelpText<"OUTPUT: how answers look">;
def grp_selection : OptionGroup<"selection">,
  HelpText<"SELECTION: which samples and frames count">;
def grp_sources : OptionGroup<"sources">, HelpText<"SYMBOLS: where they come from">;
// Options that llvm-symbolizer lacks: no script passes them to a lookup in an
// archive, where they would be meaningless.
def grp_own_sources : OptionGroup<"own sources">, Group<grp_sources>;

defvar OfModules = [SymbolizeVis, StackVis, ExplainVis, ProfileVis, FilterVis, ReportVis];
defvar Answering = [LookupVis] # OfModules;

//===----------------------------------------------------------------------===//
// Several commands
//===----------------------------------------------------------------------===//

def crc : F<"crc", "Check the archive's checksums first">,
  In<[CreateVis, LookupVis, VerifyVis, CacheVis]>, HelpIn<[CreateVis, CacheVis], "Write checksums (default)">;
defm check : Eq<"check", "<list>", "Check the checksums of these parts first: vas, ranges,\nstrings, lines, extension, or sections of the extension\n(PRNT, ...)">,
  In<[LookupVis, VerifyVis]>, HelpIn<[VerifyVis], "Check the checksums of these parts and nothing else:\nvas, ranges, strings, lines, extension, or sections of\nthe extension (PRNT, ...)">;
def quiet : F<"quiet", "Print no warnings and no progress">,
  In<[CreateVis, LookupVis, SymbolizeVis, StackVis, ExplainVis, ProfileVis, FilterVis, ReportVis,
      ShowVis, VerifyVis, CacheVis, StoreVis,
      IndexVis]>,
  HelpIn<[VerifyVis], "Print nothing but errors">;
def : Flag<["-"], "q">, Also<quiet>, HelpText<"Alias for --quiet">;

def messages_EQ : V<"messages", "<form>", "Print errors and warnings as text (default), or as json\nfor a program: one object per line">,
  In<[CreateVis, CacheVis]>;

def output_EQ : V<"output", "<file>", "Write to <file> (default: <binary>.lidia; with .zst if\ncompressed, without if unpacked; of index\n<file>.indexed; of store get and report standard output)">,
  In<[CreateVis, ExportVis, ProfileVis, ReportVis, CompressVis, StoreVis,
      IndexVis]>,
  HelpIn<[ExportVis, ProfileVis], "Write to <file> (default: of an archive\n<archive>.debug, or the ending of --format; of a\nprofile standard output)">;
def : Separate<["--"], "output">, Also<output_EQ>;
def : JoinedOrSeparate<["-"], "o">, Also<output_EQ>, MetaVarName<"<file>">,
  HelpText<"Alias for --output">;

def force : F<"force", "Make archives again even if they are up to date">,
  In<[CreateVis, StoreVis]>;

def columns : F<"columns", "Keep source columns (implies --lines; default in cache\nadd)">,
  In<[CreateVis, ShowVis, CacheVis]>, HelpIn<[ShowVis], "With ranges: show columns">;
def rows : F<"rows", "Show the ranges with their rows">, In<[DumpVis, ShowVis]>,
  HelpIn<[ShowVis], "With ranges: show rows">;
def statements : F<"statements", "Show the ranges with declarations, and functions with\nline-table rows used only by debuggers">, In<[DumpVis]>;
def unwind : F<"unwind", "Show unwind information, by address">,
  In<[DumpVis]>;
def return_pads : F<"return-pads", "Keep the return addresses of all calls: this speeds up\nlookup --return-addresses">,
  In<[CreateVis, DumpVis, CacheVis]>,
  HelpIn<[DumpVis], "Show the return addresses of all calls with the\nframes of the calls">;

def demangle : F<"demangle", "Demangle function names">, In<[LookupVis, SymbolizeVis, StackVis, ProfileVis, FilterVis, DumpVis, ShowVis]>;
def : Flag<["-"], "C">, Also<demangle>, HelpText<"Alias for --demangle">;

defvar PrefixMapped = [CreateVis, LookupVis, SymbolizeVis, StackVis, ProfileVis, FilterVis,
                       VerifyVis, StoreVis];
defm prefix_map : Eq<"prefix-map", "<old>=<new>", "Replace the prefix <old> of paths by <new>; may be\nrepeated: the last rule that matches is used">,
  In<PrefixMapped>, HelpIn<[VerifyVis], "With --against: as the archive was made">;
defm prefix_map_file : Eq<"prefix-map-file", "<file>", "Read rules for --prefix-map from <file>, one\n<old>=<new> per line">,
  In<PrefixMapped>, HelpIn<[VerifyVis], "With --against: as the archive was made">;
defm rename_functions : Eq<"rename-functions", "<file>", "Give functions other names: each line of <file> has\nan old and a new one">,
  In<[CreateVis, VerifyVis]>, HelpIn<[VerifyVis], "With --against: as the archive was made">;

defm frame_cache_size : Eq<"frame-cache-size", "<size>", "Keep up to <size> unpacked bytes (suffixes k, m and g)\nof each compressed archive in memory (default: 8m)">,
  In<[LookupVis, SymbolizeVis, StackVis, ProfileVis, FilterVis, ReportVis]>;

def fetch_statistics : F<"fetch-statistics", "Print the round trips, requests and bytes that reading\nan archive from a URL took">,
  In<[LookupVis]>;

defm address : Eq<"address", "<address>", "Show only the function that covers <address>, and only\nits functions, files and return addresses">,
  In<[DumpVis, ShowVis]>, HelpIn<[ShowVis], "Show only what covers <address>">;

let Visibility = [ShowVis] in {
defm function : Eq<"function", "<name>", "Show only functions of this name, mangled or not, and\nwhat is in them">;
defm unit : Eq<"unit", "<file>", "Show only units whose path ends with <file>, or the\none at an offset of .debug_info (0x...)">;
}

defm cache_dir : Eq<"cache-dir", "<dir>", "The folder of the cache (default: $LIDIA_CACHE_DIR,\nor lidia in $XDG_CACHE_HOME or in ~/.cache)">,
  In<Answering # [ExportVis, CacheVis, ServeVis]>, Group<grp_own_sources>;

def no_cache : F<"no-cache", "Make the archive of a binary and do not keep it">,
  In<Answering # [ExportVis]>, Group<grp_own_sources>;

//===----------------------------------------------------------------------===//
// Commands that read a binary
//===----------------------------------------------------------------------===//

defvar OneBinary = [CreateVis, LookupVis, VerifyVis, ExportVis, CacheVis, ShowVis];
defvar Binary = OneBinary # OfModules # [StoreVis];

class Source : In<Binary>, Group<grp_sources>;
class OwnSource : In<Binary>, Group<grp_own_sources>;
class OwnSourceOfOne : In<OneBinary>, Group<grp_own_sources>;

defm arch : Eq<"arch", "<name>", "Read the file for <name> (x86_64, arm64, ...) of a\nuniversal Mach-O file">, OwnSourceOfOne;
defm debug_file : Eq<"debug-file", "<file>", "Read symbols and debug information from <file>,\nwhich must have the build ID of the binary; if the\ninput names modules, may be repeated">,
  In<OneBinary # OfModules>, Group<grp_own_sources>;
defm debug_file_directory : Eq<"debug-file-directory", "<dir>", "Look for debug files in <dir>, may be repeated\n(default: /usr/lib/debug)">, Source;
defm fallback_debug_path : Eq<"fallback-debug-path", "<dir>", "Look in <dir> for the files that debug links name">, Source;
defm dwo_dir : Eq<"dwo-dir", "<dir>", "Look for .dwo files of split DWARF in <dir>, too;\nmay be repeated">, OwnSource;
defm dwp : Eq<"dwp", "<file>", "Read split DWARF from the package <file>\n(default: <binary>.dwp, if it exists)">, Source;
def debuginfod : F<"debuginfod", "Ask debuginfod servers for debug files (default if\nDEBUGINFOD_URLS is set, but not in filter and stack)">, Source,
  HelpIn<[SymbolizeVis, ProfileVis], "Ask debuginfod servers for debug files">;
def no_debuginfod : F<"no-debuginfod", "Do not ask debuginfod servers">, Source;
defm debuginfod_max_size : Eq<"debuginfod-max-size", "<size>", "Fetch no file larger than <size> bytes (suffixes k, m\nand g) from a server; 0: no limit (default:\n$DEBUGINFOD_MAXSIZE or 4g)">, OwnSource;
defm debuginfod_timeout : Eq<"debuginfod-timeout", "<seconds>", "Give up on a server that stays idle for so long\n(default: $DEBUGINFOD_TIMEOUT or 10)">, OwnSource;
defm symbol_path : Eq<"symbol-path", "<path>", "Look for PDB files in the folders and on the servers of\n<path>, such as 'srv*<cache>*<url>;<dir>', or, if it is\nempty, nowhere (default: $_NT_SYMBOL_PATH, but not in\nfilter and stack)">, OwnSource;
defm source : Eq<"source", "<list>", "Read these sources, the most trusted first (default:\nsymbolfile,dwarf,go,symtab,dynsym,debugdata,plt)">, OwnSource;
def no_dwarf : F<"no-dwarf", "Do not read DWARF">, OwnSource;
def no_go : F<"no-go", "Do not read Go's tables">, OwnSource;
def no_symtab : F<"no-symtab", "Do not read the symbol tables">, OwnSource;
defm num_threads : Eq<"num-threads", "<n>", "Read compile units with <n> threads (default: one\nfor each processor)">,
  In<Binary # [IndexVis]>, Group<grp_own_sources>;

//===----------------------------------------------------------------------===//
// create
//===----------------------------------------------------------------------===//

def statistics : F<"statistics", "Print which files were read, what each source gave,\nsizes and times">,
  In<[CreateVis, CacheVis, StoreVis, IndexVis]>,
  HelpIn<[CacheVis, StoreVis], "With add: print figures in a second line: a cache's entry,\nits size, whether it was made or found, and how long that\ntook; a store's archives, and requests and bytes">;

// The contents of an archive.
let Visibility = [CreateVis, CacheVis] in {
def files : F<"files", "Keep source files (default)">;
def lines : F<"lines", "Keep source lines (default; implies --files)">;
def no_lines : F<"no-lines", "Keep no source lines">;
def no_files : F<"no-files", "Keep neither source files nor lines">;
def no_crc : F<"no-crc", "Write no checksums">;
def symbols_only : F<"symbols-only", "Keep functions only: no lines, files and checksums">;
def embedded_source : F<"embedded-source", "Keep the source code that debug information has\n(implies --files)">;
def variables : F<"variables", "Keep parameters, local variables and their types, which\ndebuggers show">;

defm strings : Eq<"strings", "<form>", "How strings are stored: prefixed (with their\nlengths, the default) or nul (NUL-terminated)">,
  Values<"prefixed,nul">;
def no_statements : F<"no-statements",
                      "Leave out line-table rows and calls used only by\ndebuggers">;
def no_unwind : F<"no-unwind", "Leave out unwind information, which is kept with lines">;
def no_extension : F<"no-extension", "Write the tables of version 1 only">;
}

let Visibility = [CreateVis, StoreVis] in {
defm inputs_from : Eq<"inputs-from", "<file>", "With --output-dir or store add: read the names of\nfurther binaries from <file>, one per line (-: from\nstandard input)">;
def null : F<"null", "The names of --inputs-from end with NUL bytes, as\nthose of find -print0">;
}

let Visibility = [CreateVis] in {
def compress : F<"compress", "Compress the archive, which is searched without\nunpacking it (default output: <binary>.lidia.zst)">;
def compress_EQ : V<"compress", "<level>", "Like --compress, by level <level> of zstd: 1 to 19\n(default: 6)">;
defm output_dir : Eq<"output-dir", "<dir>", "Write the archives of any number of binaries below\n<dir>, each at the path of its binary">;
def : Flag<["-"], "0">, Also<null>, HelpText<"Alias for --null">;
def require_EQ : V<"require", "<what>", "Fail, and write nothing, if there are no lines or no\nfunctions (other than stubs of the PLT)">, Values<"lines,functions">;
def statistics_EQ : V<"statistics", "<format>", "Like --statistics, as text or json">, Values<"text,json">;
}

//===----------------------------------------------------------------------===//
// dump
//===----------------------------------------------------------------------===//

let Visibility = [DumpVis] in {
def header : F<"header", "Show the header">;
def extension : F<"extension", "Show the sections of the extension, and the binary\nthat the archive was made from">;
def ranges : F<"ranges", "Show the ranges as a tree">;
def return_pads_EQ : V<"return-pads", "<format>", "Like --return-pads, as text or json (one object per\nline, with nothing else shown)">,
  Values<"text,json">;
def list_functions : F<"list-functions", "Show each function once, with the addresses where it\nis entered">;
def list_files : F<"list-files", "Show each file of code and of call sites once">;
def list_strings : F<"list-strings", "Show the table of strings">;
}

//===----------------------------------------------------------------------===//
// lookup and symbolize
//===----------------------------------------------------------------------===//

def grp_ignored : OptionGroup<"ignored">,
  HelpText<"IGNORED options of llvm-symbolizer, accepted for scripts">;

let Visibility = [LookupVis] in {
def file_offsets : F<"file-offsets", "Take offsets in the binary's file, as browsers and\nother engines of WebAssembly print them, instead of\naddresses">;
defm section_addresses : Eq<"section-addresses", "<where>", "Take addresses of a running kernel module: <where> is\n/sys/module/NAME/sections, a copy of that folder, or\nNAME=ADDRESS,... of its sections">;
}

let Visibility = [LookupVis, SymbolizeVis], Group = grp_answers in {
def addresses : F<"addresses", "Print the address before each answer">;
def : F<"print-address", "Alias for --addresses">, Alias<addresses>;
def : Flag<["-"], "a">, Alias<addresses>, HelpText<"Alias for --addresses">;

defm adjust_vma : Eq<"adjust-vma", "<offset>", "Subtract <offset> from the addresses given">;

}

let Visibility = [LookupVis, SymbolizeVis, StackVis, ProfileVis, FilterVis],
    Group = grp_answers in {
def functions : F<"functions", "Print function names (the default)">;
def basenames : F<"basenames", "Strip directory names from paths">;
def : Flag<["-"], "s">, Alias<basenames>, HelpText<"Alias for --basenames">;
def relativenames : F<"relativenames", "Strip the compilation directory from paths">;

def no_demangle : F<"no-demangle", "Do not demangle function names">;
def : Flag<["-"], "demangle=true">, Alias<demangle>, HelpText<"Alias for --demangle">;
def : Flag<["-"], "demangle=false">, Alias<no_demangle>, HelpText<"Alias for --no-demangle">;

def functions_EQ : V<"functions", "<kind>", "Print function names: none, short or linkage">,
  Values<"none,short,linkage">;
def : Flag<["-"], "f">, Alias<functions>, HelpText<"Alias for --functions">;
def : Joined<["-"], "f=">, Alias<functions_EQ>, MetaVarName<"<kind>">,
  HelpText<"Alias for --functions=">;

defm paths : Eq<"paths", "<style>", "Print paths for people: full (the default), relative\n(to the project, or from the package and its version\non) or short (without the version, or from src on)">,
  Values<"full,relative,short">;
defm rust_names : Eq<"rust-names", "<style>", "Print names of Rust's older mangling as Rust without\nthe hash (plain, the default), with it (hash), or as\nllvm-symbolizer does (llvm)">,
  Values<"plain,hash,llvm">;
defm inlines : B<"inlines", "Print all inlined frames for a given address",
                 "Do not print inlined frames">;
def : F<"inlining", "Alias for --inlines">, Alias<inlines>;
def : F<"inlining=true", "Alias for --inlines">, Alias<inlines>;
def : F<"inlining=false", "Alias for --no-inlines">, Alias<no_inlines>;
def : Flag<["-"], "i">, Alias<inlines>, HelpText<"Alias for --inlines">;
}

defm output_style : Eq<"output-style", "<style>", "Print style: LLVM, GNU or JSON">,
  Values<"LLVM,GNU,JSON">, In<[LookupVis, SymbolizeVis]>, Group<grp_answers>;

let Visibility = [LookupVis, SymbolizeVis], Group = grp_answers in {
def pretty_print : F<"pretty-print", "Print one line for each frame">;
def : Flag<["-"], "p">, Alias<pretty_print>, HelpText<"Alias for --pretty-print">;
defm print_source_context_lines : Eq<"print-source-context-lines", "<n>", "Print <n> lines of source around each line">;
def verbose : F<"verbose", "Print each part of an answer on a line of its own">;
}

defm source_path : Eq<"source-path", "<rule>", "Look for source files in a folder,\n[<from>=]<folder>, for files below <from>, or in a\nsource bundle (zip file of Sentry's tools); may be\nrepeated, the first that has the file counts">,
  In<[LookupVis, SymbolizeVis, ReportVis, ProfileVis]>, Group<grp_answers>,
  HelpIn<[ProfileVis], "With --list, look for source files in a folder,\n[<from>=]<folder>, for files below <from>, or in a\nsource bundle (zip file of Sentry's tools); may be\nrepeated, the first that has the file counts">;

let Visibility = [LookupVis, SymbolizeVis], Group = grp_ignored in {
defm untag_addresses : B<"untag-addresses", "", "">;
defm cache_size : Eq<"cache-size", "<value>", "">;
defm default_arch : Eq<"default-arch", "<value>", "">;
def relative_address : F<"relative-address", "">;
}

let Visibility = Answering, Group = grp_sources in {
defm obj : Eq<"obj", "<file>", "A binary that the input names, at any path; may be\nrepeated">,
  HelpIn<[LookupVis, SymbolizeVis], "The archive or binary: for lookup, if it is not the\nfirst operand; for symbolize, that of all lines, or one\nthat maps or a core name">;
def : V<"exe", "<file>", "Alias for --obj">, Alias<obj_EQ>;
def : Separate<["--"], "exe">, Alias<obj_EQ>, MetaVarName<"<file>">, HelpText<"Alias for --obj">;
def : JoinedOrSeparate<["-"], "e">, Alias<obj_EQ>, MetaVarName<"<file>">, HelpText<"Alias for --obj">;
def : Joined<["-"], "e=">, Alias<obj_EQ>, MetaVarName<"<file>">, HelpText<"Alias for --obj">;
}

let Visibility = [LookupVis, SymbolizeVis, FilterVis], Group = grp_answers in {
def innermost : F<"innermost", "Print the innermost function only, with its own name\n(implies --no-inlines)">;
def return_addresses : F<"return-addresses", "Treat addresses as return addresses: answer with the\ncall before each">;
}

let Visibility = [SymbolizeVis] in {
defm build_id : Eq<"build-id", "<id>", "The build ID of the binary, if no line names one">;
defm llvm_symbolizer : Eq<"llvm-symbolizer", "<program>", "The program that answers DATA, FRAME and lines about\nfiles that are not ELF; empty: none (default:\nllvm-symbolizer on the PATH, unless it is this program)">;
def filter_markup : F<"filter-markup", "Pass standard input to llvm-symbolizer, which replaces\nsymbolizer markup">;
def color : F<"color", "With --filter-markup: use color">;
def color_EQ : V<"color", "<when>", "With --filter-markup: when to use color: always, auto or\nnever">,
  Values<"always,auto,never">;
def use_dia : F<"dia", "">, Group<grp_ignored>;
defm dsym_hint : Eq<"dsym-hint", "<dir>", "">, Group<grp_ignored>;
}

// Address spaces.
let Visibility = [SymbolizeVis, StackVis, FilterVis], Group = grp_process in {
defm perf_map : Eq<"perf-map", "<file>", "Names of just-in-time compiled code (default with\n--pid: /tmp/perf-<pid>.map)">;
}

let Visibility = [SymbolizeVis], Group = grp_process in
def print_maps : F<"print-maps", "Print the mappings and build IDs, which --maps reads">;

let Visibility = [SymbolizeVis, FilterVis], Group = grp_process in {
defm kallsyms : Eq<"kallsyms", "<file>", "Answer addresses of the kernel whose /proc/kallsyms\nwas saved in <file>">;
defm kernel_modules : Eq<"kernel-modules", "<file>", "The saved /proc/modules that belongs to --kallsyms">;
}

let Visibility = [SymbolizeVis, StackVis, ExplainVis, FilterVis], Group = grp_process in {
defm pid : Eq<"pid", "<pid>", "Take the addresses as those of the process <pid>\n(also -p <pid>)">,
  HelpIn<[SymbolizeVis], "Take the addresses as those of the process <pid>">;
defm core : Eq<"core", "<file>", "The process of the core <file>, which may be\ncompressed by zstd, lz4 or xz; -: standard input">,
  HelpIn<[SymbolizeVis], "Take the addresses as those of the core <file>">;
defm minidump : Eq<"minidump", "<file>", "Take the addresses as those of the minidump <file>;\nfiles that it names are opened only where --sysroot\nand --modules-from allow it">,
  HelpIn<[StackVis], "The threads of the minidump <file>, which Breakpad or\nCrashpad has written; files that it names are opened\nonly where --sysroot and --modules-from allow it">;
defm max_memory : Eq<"max-memory", "<size>", "Keep at most <size> bytes (suffixes k, m and g) of a\ncore that is compressed or read from a pipe\n(default: 256m)">;
}

let Visibility = [SymbolizeVis, ExplainVis, FilterVis], Group = grp_process in {
defm maps : Eq<"maps", "<file>", "Take the addresses as those of a process whose\n/proc/PID/maps was saved in <file>">;
}

let Visibility = [SymbolizeVis, FilterVis], Group = grp_process in {
def kernel : F<"kernel", "Answer addresses of the running kernel (default with\n--pid)">,
  HelpIn<[FilterVis], "Names with offsets in the kernel are those of the\nrunning one">;
}

let Visibility = [StackVis, ProfileVis], Group = grp_process in
defm thread : Eq<"thread", "<id>", "Only this thread">,
  HelpIn<[ProfileVis], "Only samples of this thread, by name or number; may\nbe repeated">;

let Visibility = [StackVis], Group = grp_process in {
defm max_frames : Eq<"max-frames", "<n>", "Print at most <n> frames of a stack, not counting\ninlined calls (default: 1024)">;
def registers : F<"registers", "Print the registers of each thread">;
def goroutines : F<"goroutines", "Print the goroutines of a Go program instead of threads">;
def group : F<"group", "Print equal stacks once, with their threads">;
def trust : F<"trust", "Print how each frame was found">;
def scan : F<"scan", "Where nothing says how to unwind, look for a return address\non the stack (always done for minidumps)">;
}

// symbolize, profile and filter.
let Visibility = [SymbolizeVis, ProfileVis, FilterVis], Group = grp_process in {
defm vmlinux : Eq<"vmlinux", "<file>", "The kernel with debug information, for lines">;
}

let Visibility = Answering, Group = grp_own_sources in {
defm sysroot : Eq<"sysroot", "<dir>", "Open the binary, or the files that the input names, in\n<dir>, such as /">,
  HelpIn<[SymbolizeVis, StackVis], "Open the files that maps and cores name in <dir> and\nnowhere else (default: /); empty: open none">;
defm modules_from : Eq<"modules-from", "<dir>", "Look for the binary, or the files that the input names,\nin <dir>, also by names and build IDs; may be repeated">;
}

let Visibility = [SymbolizeVis, StackVis, ProfileVis, FilterVis], Group = grp_answers in {
def summary : F<"summary", "Print on standard error how many addresses were\nanswered">,
  HelpIn<[StackVis], "Print on standard error how many threads and frames\nthere were, and how long threads were stopped">;
}

//===----------------------------------------------------------------------===//
// profile and filter
//===----------------------------------------------------------------------===//

let Visibility = [StackVis, ProfileVis, ReportVis] in
def no_tail_calls : F<"no-tail-calls", "Leave out functions that tail calls replaced">,
  HelpIn<[ProfileVis], "In stacks that are unwound, leave out functions that\ntail calls replaced">;

let Visibility = [LookupVis, SymbolizeVis, StackVis, ProfileVis, ReportVis, ServeVis],
    Group = grp_answers in {
defm source_url : Eq<"source-url", "<rule>", "In JSON and pages, link lines to their sources on the\nweb:\n[<prefix>=]https://.../{commit}/{path}#L{line}, for\nfiles below <prefix>; may be repeated, the last that\nmatches counts">,
  HelpIn<[ProfileVis], "In a flame graph and JSON, link lines to their sources\non the web:\n[<prefix>=]https://.../{commit}/{path}#L{line}, for\nfiles below <prefix>; may be repeated, the last that\nmatches counts">;
defm source_commit : Eq<"source-commit", "<commit>", "The commit that was built, for {commit} in\n--source-url">;
}

let Visibility = [ProfileVis] in {
def all_locations : F<"all-locations", "Also answer locations that already have lines">;
defm input_format : Eq<"input-format", "<format>", !strconcat("The format of the profile (default: by its contents):\n", ReadFormatsHelp)>,
  Values<ReadFormats>;
defm base : Eq<"base", "<profile>", "Compare with <profile>: by colours in a flame graph,\nby a column in top, by a second value elsewhere">;
def merge : F<"merge", "Add up the profiles that are given, also those in\nfolders">;
defm on_store_error : Eq<"on-store-error", "<what>", "If the store does not answer for half a minute: fail,\nor null: go on without the names that it may have\n(default: fail)">,
  Values<"fail,null">;
defm sample_index : Eq<"sample-index", "<type>", "The type of value to show in text and folded\nstacks, by name or number (default: as the profile\nsays)">;
def : Joined<["--"], "event=">, Alias<sample_index_EQ>, MetaVarName<"<name>">,
  HelpText<"Alias for --sample-index=">;
defm by : Eq<"by", "<rows>", "Rows of top: function (the default), line, file,\nmodule or thread">,
  Values<"function,line,file,module,thread">;
defm limit : Eq<"limit", "<n>", "Print the first <n> rows of top, stacks of text or\nfunctions of --list">;
defm list_source : Eq<"list", "<regex>", "Print the functions that match <regex> with the value\nof each line of their source">;
defm disasm : Eq<"disasm", "<regex>", "Print the functions that match <regex> with the value\nof each instruction">;
def raw_units : F<"raw-units", "In top and text, print values as the profile has\nthem, such as nanoseconds">;
defm sort : Eq<"sort", "<column>", "Sort top by self (default), total or, only with --base\nand the default then, change">,
  Values<"self,total,change">;
}

let Visibility = [ProfileVis], Group = grp_selection in {
defm cpu : Eq<"cpu", "<n>", "Only samples of processor <n>; may be repeated">;
defm cgroup : Eq<"cgroup", "<path>", "Only samples of the control group <path> and those\nbelow it; parts of a path will do; may be repeated\n(perf record --all-cgroups)">;
defm focus : Eq<"focus", "<regex>", "Only samples with a frame whose function, file or\nmodule matches <regex>">;
defm hide : Eq<"hide", "<regex>", "Leave out frames that match">;
defm ignore : Eq<"ignore", "<regex>", "Leave out samples with a frame that matches">;
defm process : Eq<"process", "<name or pid>", "Only samples of this process; may be repeated">;
defm show : Eq<"show", "<regex>", "Leave out frames that do not match">;
defm time : Eq<"time", "<from>-<to>", "Only samples of this time: seconds, as perf script\nprints them or from the first sample on (+10), or\npercent (25%-50%)">;
}

//===----------------------------------------------------------------------===//
// verify, export, cache
//===----------------------------------------------------------------------===//

defm against : Eq<"against", "<binary>", "Check that this is the archive of <binary>, using\nthe same options for sources">,
  In<[VerifyVis]>;

def quality : F<"quality", "Print how much of the code has names (by where they are\nfrom), lines and unwind rows">, In<[VerifyVis, StoreVis]>,
  HelpIn<[StoreVis], "With check: read all archives, and list those with\nfew lines or names">;

defm format : Eq<"format", "<format>", "Of answers and lists: json, as docs/json-schema.json\ndescribes it (the same in all commands); of stack also\nllvm-json and minidump-stackwalk. Of report: html,\njson, text or markdown (default: by the ending of the\noutput's name). Of export: dwarf (an\nELF file with DWARF 5, the default), breakpad, gsym,\nsymbfile, symbfile-return-pads or symcache">,
  In<[ExportVis, LookupVis, SymbolizeVis, StackVis, ExplainVis, FilterVis, ProfileVis, ReportVis, VerifyVis, StoreVis, CacheVis]>,
  HelpIn<[ProfileVis], !strconcat("The format to write (default: that of the output's\nending; else text on standard output, or that of the\nprofile in a file):\n", WrittenFormatsHelp)>;

defm binary : Eq<"binary", "<file>", "The archive's binary: repeat its section headers, so\nthat gdb takes the result for its debug file; for\nbreakpad and symcache, its name and load address">,
  In<[ExportVis]>;

def decompress : F<"decompress", "Unpack the archive, and check all of its checksums">,
  In<[CompressVis]>;
def : Flag<["-"], "d">, Also<decompress>, HelpText<"Alias for --decompress">;

defm level : Eq<"level", "<level>", "The level of zstd: 1 to 19 (default: 6)">,
  In<[CompressVis]>;

defm policy : Eq<"policy", "<policy>", "With prune: what to keep, in the syntax of LLVM's\ncaches (default: $LIDIA_CACHE_POLICY)">,
  In<[CacheVis]>;

def or_temporary : F<"or-temporary", "With add: if the cache cannot be used, leave the archive\nin a temporary file, which the caller must remove">,
  In<[CacheVis]>;

defm end_with : Eq<"end-with", "<pid>", "With add: exit when the process <pid> exits, which must\nbe the parent process">,
  In<[CacheVis, StoreVis]>;

//===----------------------------------------------------------------------===//
// index
//===----------------------------------------------------------------------===//

let Visibility = [IndexVis] in {
def all_units : F<"all-units", "Index units in which LLDB then misses inlined methods, too">;
def in_place : F<"in-place", "Replace the file itself">;
def replace : F<"replace", "Rebuild the index of a file that has one">;
def unpack : F<"unpack", "Write compressed debug sections unpacked, which spares\neach session the time">;
}

//===----------------------------------------------------------------------===//
// store
//===----------------------------------------------------------------------===//

let Visibility = Answering # [ServeVis], Group = grp_own_sources in {
defm store : Eq<"store", "<dir>", "Take archives from this store, by build ID, before\nthey are made: a folder, s3://... or a server's URL">;
}

defm write_token : Eq<"write-token", "<file>", "The token in <file> allows uploads, and asking which\narchives exist: serve requires it, store add sends it">,
  In<[StoreVis, ServeVis]>;

def no_replace : F<"no-replace", "Keep the archives that the store has: add new ones only">,
  In<[StoreVis, ServeVis]>;

defm max_size : Eq<"max-size", "<size>", "With prune: remove what was not used for longest until\nthe rest has at most <size> bytes (suffixes k, m, g)">,
  In<[StoreVis, ReportVis]>,
  HelpIn<[ReportVis], "With --format=markdown or json: write at most <size>\nbytes (suffixes k, m and g; Markdown: 16k if nothing is\ngiven), the most important first">;

let Visibility = [StoreVis] in {
defm older_than : Eq<"older-than", "<time>", "With prune: remove what was not used for <time>, such\nas 30d, 12h or 600s">;
def dry_run : F<"dry-run", "With prune: print what would be removed">;
def read_only : F<"read-only", "With check: do not try to write">;
defm layout : Eq<"layout", "<layout>", "How objects are named: build-id (.build-id/ab/cdef...,\nthe default), pyroscope (symbolizer/TENANT/BUILDID) or\ndebuginfod (buildid/BUILDID/debuginfo, for web servers)">,
  Values<"build-id,pyroscope,debuginfod">;
defm tenant : Eq<"tenant", "<name>", "The tenant of --layout=pyroscope (default: anonymous)">;
defm max_disk : Eq<"max-disk", "<size>", "With add: maximum bytes (suffixes k, m and g) used by\nbinaries of packages in $TMPDIR (default: 4g)">;
def improve : F<"improve", "With add: make archives again that the store has, and\nreplace one if the new one has more in it">;
defm expect_build_id : Eq<"expect-build-id", "<id>", "With add: refuse inputs of another build ID">;
def only_inputs : F<"only-inputs", "With add: do not open files that the inputs refer to\n(for untrusted inputs)">;
}

//===----------------------------------------------------------------------===//
// serve
//===----------------------------------------------------------------------===//

let Visibility = [ServeVis] in {
defm listen : Eq<"listen", "<address>", "Listen on HOST:PORT, [IPv6]:PORT or unix:PATH; can\nbe repeated (default: the sockets of systemd, or\n127.0.0.1:8002)">;
defm read_token : Eq<"read-token", "<file>", "Answer only requests with the token in <file>, as\nAuthorization: Bearer or as a password">;
defm tokens : Eq<"tokens", "<file>", "Tokens, one on a line: some of read,write,remove, the\ntoken, and a name for the log; # begins a comment">;
defm recheck : Eq<"recheck", "<seconds>", "How long to use an open archive before it is compared\nwith the store's (default: 30)">;
defm access_log : Eq<"access-log", "<format>", "Write a line for each request to standard output:\ncombined (as web servers do), json or none (default)">;
def keep_reports : F<"keep-reports", "Keep the page's answers in --cache-dir for a day, so\nthat others can open links to them">;
def public : F<"public", "Allow anyone to read, also at an address that other\nmachines can reach">;
defm host : Eq<"host", "<name>", "A name of this server in its clients' URLs, besides\nlocalhost and addresses; can be repeated">;
defm allow_origin : Eq<"allow-origin", "<origin>", "Allow requests from pages of <origin>\n(https://profiler.firefox.com; *: of all); can be\nrepeated">;
defm tls_cert : Eq<"tls-cert", "<file>", "The certificate for HTTPS, in PEM">;
defm tls_key : Eq<"tls-key", "<file>", "The key of --tls-cert, in PEM">;
defm max_modules : Eq<"max-modules", "<n>", "Keep at most <n> archives open (default: 256)">;
defm max_text : Eq<"max-text", "<size>", "Keep at most <size> bytes of names (suffixes k, m, g;\ndefault: 256m)">;
defm max_body : Eq<"max-body", "<size>", "Maximum size of a request (default: 8m)">;
defm max_bodies : Eq<"max-bodies", "<size>", "Maximum total memory of requests and answers in\nprogress (default: 256m)">;
defm max_headers : Eq<"max-headers", "<size>", "The buffer of a connection, for the headers of a\nrequest (default: 32k)">;
defm max_addresses : Eq<"max-addresses", "<n>", "Maximum number of addresses in a request (default:\n100000)">;
defm max_answer : Eq<"max-answer", "<size>", "Maximum size of a lookup's answer (default: 64m)">;
defm max_connections : Eq<"max-connections", "<n>", "Maximum number of connections (default: 4096, or fewer,\nby the limit of open files)">;
defm max_of_address : Eq<"max-of-address", "<n>", "Maximum number of connections of one address (default:\nthree quarters of all)">;
defm max_waiting : Eq<"max-waiting", "<n>", "Maximum number of requests that wait for a thread\n(default: 1024)">;
defm idle_timeout : Eq<"idle-timeout", "<seconds>", "Close a connection after this time without a byte\n(default: 60)">;
defm header_timeout : Eq<"header-timeout", "<seconds>", "Maximum time to receive the headers of a request\n(default: 20)">;
defm shutdown_timeout : Eq<"shutdown-timeout", "<seconds>", "Maximum time to complete requests at shutdown\n(default: 30)">;
defm body_timeout : Eq<"body-timeout", "<seconds>", "Maximum time to receive a request (default: 60)">;
defm lookup_threads : Eq<"lookup-threads", "<n>", "Threads that look up (default: one for each processor)">;
defm max_upload : Eq<"max-upload", "<size>", "Maximum size of an upload (default: 2g)">;
defm max_uploads : Eq<"max-uploads", "<size>", "Maximum size of all uploads at one time, on the disk\nof --cache-dir (default: 8g)">;
defm upload_timeout : Eq<"upload-timeout", "<seconds>", "Maximum time to receive an upload (default: 3600)">;
defm upstream : Eq<"upstream", "<url>", "Fetch what the store lacks from this debuginfod server,\nand store it; can be repeated">;
def pass_through : F<"pass-through", "Give debuggers the debug files of --upstream as they are,\nwith types and variables">;
defm forward : Eq<"forward", "<url>", "Receive profiles of OpenTelemetry at\n/v1development/profiles, symbolize their native frames,\nand forward them to <url>">;
defm upstream_threads : Eq<"upstream-threads", "<n>", "Maximum number of files fetched at one time (default:\n16)">;
defm upstream_first_byte : Eq<"upstream-first-byte", "<seconds>", "How long --upstream may take to the first byte (default:\n90)">;
defm upstream_timeout : Eq<"upstream-timeout", "<seconds>", "How long --upstream may stay idle after the first byte\n(default: 10)">;
defm upstream_max_time : Eq<"upstream-max-time", "<seconds>", "Maximum time to fetch a file (default: 900)">;
defm upstream_max_size : Eq<"upstream-max-size", "<size>", "Maximum size of a fetched file (default: 4g)">;
defm upstream_missing : Eq<"upstream-missing", "<seconds>", "How long to remember that no server has a file\n(default: 600)">;
defm record_use : Eq<"record-use", "<seconds>", "Record in the store which archives were used, so often\nand at the end, for store prune; 0: never (default: 3600\nif the store is a folder that can be written)">;
defm max_originals : Eq<"max-originals", "<size>", "Maximum size of fetched files kept in --cache-dir\n(default: 4g)">;
defm convert_processes : Eq<"convert-processes", "<n>", "Make <n> archives of uploads and of upstream's files at\none time (default: 1)">;
defm convert_memory : Eq<"convert-memory", "<size>", "Maximum memory to make an archive (default: 8g)">;
defm convert_timeout : Eq<"convert-timeout", "<seconds>", "Maximum time to make an archive (default: 900)">;
defm max_conversions : Eq<"max-conversions", "<n>", "Maximum number of archives waiting to be made (default:\n64)">;
defm export_threads : Eq<"export-threads", "<n>", "Threads that make debug files (default: one for each\nprocessor)">;
defm symbolize_threads : Eq<"symbolize-threads", "<n>", "Threads that symbolize whole files (default: 1)">;
}
