# The symbol server (docs/Server.md):
#
#   docker build -t lidia .
#   docker run -v symbols:/var/lib/lidia -p 8002:8002 lidia --public
#
# The arguments are those of "llvm-lidia serve". utils/try-dockerfile.sh runs these steps
# without Docker.

FROM debian:12-slim AS build
WORKDIR /source
COPY . .
RUN apt-get update -qq \
    && utils/install-dependencies.sh --tool \
    && apt-get install -y -qq --no-install-recommends libmicrohttpd-dev
RUN cmake -G Ninja -S . -B /build -DLIDIA_BUILD_TESTS=OFF -DLIDIA_BUILD_BENCHMARKS=OFF \
        -DLIDIA_BUILD_LLDB_PLUGIN=OFF -DLIDIA_BUILD_PYTHON=OFF \
        -DLIDIA_PRECOMPILE_HEADERS=ON -DLIDIA_UNITY_BUILD=ON \
    && cmake --build /build --target lidia-tool lidia-serve \
    && DESTDIR=/image cmake --install /build --prefix /usr/local --component tool --strip

FROM debian:12-slim
# The libraries that the program links or loads on demand, and curl for the health check.
RUN apt-get update -qq \
    && apt-get install -y -qq --no-install-recommends ca-certificates curl libarchive13 \
        libcurl4 libisal2 libmicrohttpd12 libzstd1 zlib1g \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --system --create-home --home-dir /var/lib/lidia lidia \
    && install -d -o lidia -g lidia /var/lib/lidia/symbols /var/lib/lidia/cache
COPY --from=build /image/usr/local /usr/local
USER lidia
VOLUME /var/lib/lidia
EXPOSE 8002
HEALTHCHECK CMD curl -fsS http://127.0.0.1:8002/healthz
ENTRYPOINT ["llvm-lidia", "serve", "--listen=0.0.0.0:8002", "--store=/var/lib/lidia/symbols", "--cache-dir=/var/lib/lidia/cache"]
