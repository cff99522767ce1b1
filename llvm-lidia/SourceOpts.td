// What names come from: for every command that reads a binary.

def grp_sources : OptionGroup<"sources">, HelpText<"What the binary's functions are read from">;

class S<string name, string help> : F<name, help>, Group<grp_sources>;

defm debug_file : Eq<"debug-file", "Read symbols and debug information from <file>, whose build ID must be the binary's", "<file>">, Group<grp_sources>;
defm debug_file_directory : Eq<"debug-file-directory", "Look for debug files in <dir> (default: /usr/lib/debug); may be repeated", "<dir>">, Group<grp_sources>;
defm fallback_debug_path : Eq<"fallback-debug-path", "Look in <dir> for what debug links name", "<dir>">, Group<grp_sources>;
defm dwo_dir : Eq<"dwo-dir", "Look for .dwo files of split DWARF in <dir>, too; may be repeated", "<dir>">, Group<grp_sources>;
defm dwp : Eq<"dwp", "Read split DWARF from the package <file> (default: <binary>.dwp, if it is there)", "<file>">, Group<grp_sources>;
def debuginfod : S<"debuginfod", "Ask debuginfod servers (the default if DEBUGINFOD_URLS is set)">;
def no_debuginfod : S<"no-debuginfod", "Ask no server">;
defm source : Eq<"source", "Read these sources, the most trusted first (default: dwarf,go,symtab,dynsym,debugdata,plt)", "<list>">, Group<grp_sources>;
def no_dwarf : S<"no-dwarf", "Leave DWARF out">;
def no_go : S<"no-go", "Leave Go's tables out">;
def no_symtab : S<"no-symtab", "Leave the symbol tables out">;
defm num_threads : Eq<"num-threads", "Threads that read compile units (default: as many as there are processors)", "<n>">, Group<grp_sources>;
