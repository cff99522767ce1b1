include "CommonOpts.td"

def crc : F<"crc", "Check the checksums, too">;
defm against : Eq<"against", "Check that this is the archive of <binary>", "<binary>">;
def quiet : F<"quiet", "Print nothing but errors">;
def : Flag<["-"], "q">, Alias<quiet>, HelpText<"Alias for --quiet">;

def grp_remake : OptionGroup<"remake">,
  HelpText<"What the archive was made with (for --against)">;
defm debug_file : Eq<"debug-file", "As when it was made", "<file>">, Group<grp_remake>;
def no_dwarf : F<"no-dwarf", "As when it was made">, Group<grp_remake>;
def no_go : F<"no-go", "As when it was made">, Group<grp_remake>;
def no_symtab : F<"no-symtab", "As when it was made">, Group<grp_remake>;
defm num_threads : Eq<"num-threads", "Threads to use", "<n>">, Group<grp_remake>;
