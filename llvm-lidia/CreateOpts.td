include "CommonOpts.td"

defm output : Eq<"output", "Write the archive to <file> (default: <binary>.lidia)", "<file>">;
def : JoinedOrSeparate<["-"], "o">, Alias<output_EQ>, MetaVarName<"<file>">,
      HelpText<"Alias for --output">;

def crc : F<"crc", "Write checksums">;
def files : F<"files", "Keep source files">;
def lines : F<"lines", "Keep source lines (implies --files)">;
def columns : F<"columns", "Keep source columns (implies --lines)">;

defm debug_file : Eq<"debug-file", "Read symbols and debug information from <file>, whose build ID must be the binary's", "<file>">;
def no_dwarf : F<"no-dwarf", "Leave DWARF out">;
def no_go : F<"no-go", "Leave Go's tables out">;
def no_symtab : F<"no-symtab", "Leave the symbol tables out">;

defm strings : Eq<"strings", "How strings are stored: prefixed (as in the field, the default) or nul (as in Lidia's README)", "<form>">,
      Values<"prefixed,nul">;
def no_extension : F<"no-extension", "Write the tables of version 1 only">;

defm num_threads : Eq<"num-threads", "Threads that read compile units (default: as many as there are processors)", "<n>">;
def statistics : F<"statistics", "Print what came from where, sizes and times">;
def statistics_EQ : Joined<["--"], "statistics=">, Values<"text,json">,
                    MetaVarName<"<format>">, HelpText<"The same as text or json">;
def quiet : F<"quiet", "Print no warnings and no progress">;
def : Flag<["-"], "q">, Alias<quiet>, HelpText<"Alias for --quiet">;
