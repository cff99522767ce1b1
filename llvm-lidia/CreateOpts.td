include "CommonOpts.td"
include "SourceOpts.td"

defm output : Eq<"output", "Write the archive to <file> (default: <binary>.lidia)", "<file>">;
def : JoinedOrSeparate<["-"], "o">, Alias<output_EQ>, MetaVarName<"<file>">,
      HelpText<"Alias for --output">;

def crc : F<"crc", "Write checksums">;
def files : F<"files", "Keep source files">;
def lines : F<"lines", "Keep source lines (implies --files)">;
def columns : F<"columns", "Keep source columns (implies --lines)">;
def return_pads : F<"return-pads", "Keep the address behind each call instruction, for lookups of stacks by one probe">;

defm strings : Eq<"strings", "How strings are stored: prefixed (as in the field, the default) or nul (as in Lidia's README)", "<form>">,
      Values<"prefixed,nul">;
def no_extension : F<"no-extension", "Write the tables of version 1 only">;

def statistics : F<"statistics", "Print what came from where, sizes and times">;
def statistics_EQ : Joined<["--"], "statistics=">, Values<"text,json">,
                    MetaVarName<"<format>">, HelpText<"The same as text or json">;
def quiet : F<"quiet", "Print no warnings and no progress">;
def : Flag<["-"], "q">, Alias<quiet>, HelpText<"Alias for --quiet">;
