// Prints the frames of an address: lookup ARCHIVE ADDRESS.
#include "lidia/Archive/Archive.h"
#include "llvm/Support/raw_ostream.h"

int main(int Argc, char **Argv) {
  uint64_t Address;
  if (Argc != 3 || llvm::StringRef(Argv[2]).getAsInteger(0, Address))
    return 2;
  llvm::Expected<lidia::Archive> A = lidia::Archive::open(Argv[1]);
  if (!A) {
    llvm::errs() << llvm::toString(A.takeError()) << '\n';
    return 1;
  }
  llvm::SmallVector<lidia::Frame, 8> Frames;
  A->lookup(Address, Frames);
  for (const lidia::Frame &F : Frames)
    llvm::outs() << A->string(F.Function) << " at " << A->string(F.File) << ':'
                 << F.Line << '\n';
}
