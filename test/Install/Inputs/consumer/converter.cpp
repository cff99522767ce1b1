// Makes an archive: converter BINARY ARCHIVE.
#include "lidia/Extract/Convert.h"
#include "llvm/Support/raw_ostream.h"

namespace {
class Observer final : public lidia::ConvertObserver {
public:
  void warning(const llvm::Twine &Message) override {
    llvm::errs() << Message << '\n';
  }
  void progress(llvm::StringRef, uint64_t, uint64_t) override {}
};
} // namespace

int main(int Argc, char **Argv) {
  if (Argc != 3)
    return 2;
  lidia::ConvertOptions Options;
  Options.Lines = true;
  Observer O;
  llvm::Expected<lidia::ConvertStatistics> S =
      lidia::convert(llvm::StringRef(Argv[1]), Argv[2], Options, O);
  if (!S) {
    llvm::errs() << llvm::toString(S.takeError()) << '\n';
    return 1;
  }
  llvm::outs() << S->Sizes.RangeCount << " ranges\n";
}
