module lidia/utils/go-interop

go 1.23.0

require github.com/grafana/pyroscope/lidia v0.0.0-20250716102313-506840f4afcd
