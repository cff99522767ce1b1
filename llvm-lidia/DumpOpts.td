include "CommonOpts.td"

def header : F<"header", "Show the header">;
def extension : F<"extension", "Show the extension's sections and what they say of the binary">;
def ranges : F<"ranges", "Show the ranges as a tree">;
def rows : F<"rows", "Show the ranges with their rows">;
def return_pads : F<"return-pads", "Show the addresses behind call instructions with the frames of the calls">;
def return_pads_EQ : Joined<["--"], "return-pads=">, Values<"text,json">,
                     MetaVarName<"<format>">, HelpText<"The same as text, or as one JSON object a line and nothing else">;
def strings : F<"strings", "Show the strings table">;

defm address : Eq<"address", "Show only the function that covers <address>", "<address>">;
def demangle : F<"demangle", "Demangle function names">;
def : Flag<["-"], "C">, Alias<demangle>, HelpText<"Alias for --demangle">;
