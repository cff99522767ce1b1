// Classes of a program with RTTI that derive from those of the libraries.

#include "lidia/Archive/Archive.h"
#include "lidia/Extract/Convert.h"
#include "lidia/Extract/RangeExtractor.h"
#include "lidia/Extract/Transformer.h"
#include "lidia/Process/AddressSpace.h"
#include "lidia/Unwind/Unwinder.h"
#include "llvm/Support/raw_ostream.h"
#include <typeinfo>

namespace {
struct Prefixer final : lidia::Transformer {
  std::string fingerprint() const override { return "Prefixer"; }
  void transformFile(std::string &Path) const override { Path = "X" + Path; }
};

struct Functions final : lidia::RangeExtractor {
  llvm::StringRef name() const override { return "mine"; }
  uint64_t inputSize() const override { return 100; }
  llvm::Error extract(lidia::RangeVisitor &V) override {
    lidia::FunctionRange F;
    F.Start = 0x1000;
    F.End = 0x1010;
    F.Name = "f";
    lidia::SourceRow Rows[] = {{0x1000, "/src/f.c", 7, 3}};
    F.Rows = Rows;
    V.visit(F);
    return llvm::Error::success();
  }
};

struct Observer final : lidia::ConvertObserver {
  void warning(const llvm::Twine &) override {}
  void progress(llvm::StringRef, uint64_t, uint64_t) override {}
};

struct NoModules final : lidia::UnwindModules {
  Place find(uint64_t) override { return {}; }
};

struct Space final : lidia::AddressSpace {
  Space() : AddressSpace(lidia::MappingList()) {}
};
} // namespace

int main(int, char **Args) {
  Functions From;
  Observer Observes;
  lidia::ModuleInfo Module;
  Module.Name = "module";
  Module.BuildID = {1, 2, 3, 4};
  lidia::ConvertOptions Options;
  lidia::keepAllForLookup(Options);
  Options.Transform = std::make_shared<Prefixer>();
  auto Made = lidia::convert(From, Module, Args[1], Options, Observes);
  if (!Made)
    return llvm::errs() << llvm::toString(Made.takeError()), 1;
  auto A = lidia::Archive::open(Args[1]);
  if (!A)
    return llvm::errs() << llvm::toString(A.takeError()), 1;
  llvm::SmallVector<lidia::Frame, 8> Frames;
  A->lookup(0x1004, Frames);
  for (const lidia::Frame &F : Frames)
    llvm::outs() << A->string(F.Function) << ' ' << A->string(F.File) << ':'
                 << F.Line << '\n';
  NoModules None;
  lidia::UnwindModules &Modules = None;
  Space Empty;
  lidia::AddressSpace &Addresses = Empty;
  bool AreOurs = typeid(Modules) == typeid(NoModules) &&
                 typeid(Addresses) == typeid(Space);
  llvm::outs() << (AreOurs ? "derived\n" : "wrong types\n");
}
