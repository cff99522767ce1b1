include "CommonOpts.td"
include "SourceOpts.td"

def rows : F<"rows", "Show rows, too">;
def columns : F<"columns", "Show columns, too">;
def demangle : F<"demangle", "Demangle function names">;
def : Flag<["-"], "C">, Alias<demangle>, HelpText<"Alias for --demangle">;
def quiet : F<"quiet", "Print no warnings and no progress">;
def : Flag<["-"], "q">, Alias<quiet>, HelpText<"Alias for --quiet">;
