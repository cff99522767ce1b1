include "CommonOpts.td"
include "SourceOpts.td"

def crc : F<"crc", "Check the checksums, too">;
defm against : Eq<"against", "Check that this is the archive of <binary>, made with the same options for sources", "<binary>">;
def quiet : F<"quiet", "Print nothing but errors">;
def : Flag<["-"], "q">, Alias<quiet>, HelpText<"Alias for --quiet">;
