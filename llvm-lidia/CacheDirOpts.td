// For every command that uses the cache.

defm cache_dir : Eq<"cache-dir", "Where the cache is (default: $LIDIA_CACHE_DIR, or lidia under $XDG_CACHE_HOME or ~/.cache)", "<dir>">;
