include "CommonOpts.td"

defm output : Eq<"output", "Write to <file> (default: <archive>.debug)", "<file>">;
def : JoinedOrSeparate<["-"], "o">, Alias<output_EQ>, MetaVarName<"<file>">,
      HelpText<"Alias for --output">;

defm format : Eq<"format", "What to write: dwarf (an ELF file with DWARF 5, the default)", "<format>">,
      Values<"dwarf">;
