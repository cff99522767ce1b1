// What every command's table of options begins with.

include "llvm/Option/OptParser.td"

class F<string name, string help> : Flag<["--"], name>, HelpText<help>;

// --name and --no-name.
multiclass B<string name, string help1, string help2> {
  def NAME : F<name, help1>;
  def no_#NAME : F<"no-"#name, help2>;
}

// --name=value and --name value.
multiclass Eq<string name, string help, string metavar = "<value>"> {
  def NAME#_EQ : Joined<["--"], name#"=">, HelpText<help>,
                 MetaVarName<metavar>;
  def : Separate<["--"], name>, Alias<!cast<Joined>(NAME#_EQ)>;
}

def help : F<"help", "Display this help">;
def : Flag<["-"], "h">, Alias<help>;
def version : F<"version", "Display the version">;
