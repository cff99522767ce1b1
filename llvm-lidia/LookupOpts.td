include "CommonOpts.td"
include "SourceOpts.td"
include "CacheDirOpts.td"

def grp_ignored : OptionGroup<"ignored">,
  HelpText<"Accepted for scripts that pass them to llvm-symbolizer, without effect">;

def crc : F<"crc", "Check the archive's checksums first">;
def no_cache : F<"no-cache", "Make the archive of a binary anew and keep it nowhere">;
def quiet : F<"quiet", "Print no warnings and no progress">;
def : Flag<["-"], "q">, Alias<quiet>, HelpText<"Alias for --quiet">;

def addresses : F<"addresses", "Show address before line information">;
def : F<"print-address", "Alias for --addresses">, Alias<addresses>;
def : Flag<["-"], "a">, Alias<addresses>, HelpText<"Alias for --addresses">;

defm adjust_vma : Eq<"adjust-vma", "Subtract <offset> from the addresses given", "<offset>">;

def basenames : F<"basenames", "Strip directory names from paths">;
def : Flag<["-"], "s">, Alias<basenames>, HelpText<"Alias for --basenames">;
def relativenames : F<"relativenames", "Strip the compilation directory from paths">;

defm demangle : B<"demangle", "Demangle function names", "Don't demangle function names">;
def : Flag<["-"], "C">, Alias<demangle>, HelpText<"Alias for --demangle">;
def : Flag<["-"], "demangle=true">, Alias<demangle>, HelpText<"Alias for --demangle">;
def : Flag<["-"], "demangle=false">, Alias<no_demangle>, HelpText<"Alias for --no-demangle">;

def functions : F<"functions", "Print function names (the default)">;
def functions_EQ : Joined<["--"], "functions=">, Values<"none,short,linkage">,
  MetaVarName<"<kind>">, HelpText<"Print function names: none, short or linkage">;
def : Flag<["-"], "f">, Alias<functions>, HelpText<"Alias for --functions">;
def : Joined<["-"], "f=">, Alias<functions_EQ>, MetaVarName<"<kind>">,
      HelpText<"Alias for --functions=">;

defm inlines : B<"inlines", "Print all inlined frames for a given address",
                 "Do not print inlined frames">;
def : F<"inlining", "Alias for --inlines">, Alias<inlines>;
def : F<"inlining=true", "Alias for --inlines">, Alias<inlines>;
def : F<"inlining=false", "Alias for --no-inlines">, Alias<no_inlines>;
def : Flag<["-"], "i">, Alias<inlines>, HelpText<"Alias for --inlines">;

defm obj : Eq<"obj", "The archive or binary, when it is not the first operand", "<file>">;
def : Joined<["--"], "exe=">, Alias<obj_EQ>, MetaVarName<"<file>">, HelpText<"Alias for --obj">;
def : Separate<["--"], "exe">, Alias<obj_EQ>, MetaVarName<"<file>">, HelpText<"Alias for --obj">;
def : JoinedOrSeparate<["-"], "e">, Alias<obj_EQ>, MetaVarName<"<file>">, HelpText<"Alias for --obj">;
def : Joined<["-"], "e=">, Alias<obj_EQ>, MetaVarName<"<file>">, HelpText<"Alias for --obj">;

defm output_style : Eq<"output-style", "Print style: LLVM, GNU or JSON", "<style>">,
  Values<"LLVM,GNU,JSON">;
def pretty_print : F<"pretty-print", "Make the output more human friendly">;
def : Flag<["-"], "p">, Alias<pretty_print>, HelpText<"Alias for --pretty-print">;
defm print_source_context_lines : Eq<"print-source-context-lines", "Print <n> lines of source around each line", "<n>">;
def return_addresses : F<"return-addresses", "Take addresses for return addresses: answer the call before each">;
def verbose : F<"verbose", "Print verbose line info">;
def : Flag<["-"], "v">, Alias<version>, HelpText<"Alias for --version">;

defm untag_addresses : B<"untag-addresses", "Without effect: functions have no tagged addresses", "Without effect">,
  Group<grp_ignored>;
defm cache_size : Eq<"cache-size", "">, Group<grp_ignored>;
defm default_arch : Eq<"default-arch", "">, Group<grp_ignored>;
def relative_address : F<"relative-address", "">, Group<grp_ignored>;
