include "CommonOpts.td"
include "CacheDirOpts.td"

defm policy : Eq<"policy", "With prune: what to keep, in the syntax of LLVM's caches (default: $LIDIA_CACHE_POLICY)", "<policy>">;
