# Finds the dependencies of the build. If required ones are missing,
# configuration fails with a list of Debian packages. If optional ones are
# missing, a feature is left out, as listed in the summary at the end of the
# configuration.

set(LIDIA_SUMMARY)

# lidia_feature(NAME REASON)
#
# Adds a line to the summary: NAME is part of the build if REASON is empty;
# otherwise it is left out for that reason.
macro(lidia_feature NAME REASON)
  if("${REASON}" STREQUAL "")
    list(APPEND LIDIA_SUMMARY "${NAME}: yes")
  else()
    list(APPEND LIDIA_SUMMARY "${NAME}: no (${REASON})")
  endif()
endmacro()

function(lidia_print_summary)
  foreach(LINE ${LIDIA_SUMMARY})
    message(STATUS "${LINE}")
  endforeach()
endfunction()

# Debian has several versions side by side. LLVM's package accepts only the
# requested minor version. A failed search resets LLVM_DIR. Where it is given, no
# other place will do: find_package would go on and take the first version from
# there.
set(GIVEN_LLVM_DIR "${LLVM_DIR}")
foreach(VERSION 19.1 22.1)
  if(NOT LLVM_FOUND)
    string(REGEX REPLACE "[.].*" "" MAJOR ${VERSION})
    set(PLACES HINTS /usr/lib/llvm-${MAJOR}/lib/cmake/llvm)
    if(GIVEN_LLVM_DIR)
      set(PLACES PATHS "${GIVEN_LLVM_DIR}" NO_DEFAULT_PATH)
    endif()
    find_package(LLVM ${VERSION} QUIET CONFIG ${PLACES})
  endif()
endforeach()
set(MISSING)
# The major version in the names of Debian's packages.
set(DEBIAN_LLVM 19)
if(GIVEN_LLVM_DIR MATCHES "/llvm-([0-9]+)/")
  set(DEBIAN_LLVM ${CMAKE_MATCH_1})
endif()
if(LLVM_FOUND)
  set(DEBIAN_LLVM ${LLVM_VERSION_MAJOR})
  message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
  # LLVM's package defines these targets if it finds the libraries.
  if(NOT TARGET ZLIB::ZLIB)
    list(APPEND MISSING zlib1g-dev)
  endif()
  if(NOT TARGET zstd::libzstd_shared)
    list(APPEND MISSING libzstd-dev)
  endif()
else()
  list(APPEND MISSING llvm-${DEBIAN_LLVM}-dev)
endif()

# For .gnu_debugdata. Prefer the static library: even lookups, which decompress
# nothing, would have to load the shared one.
find_path(LZMA_INCLUDE_DIR lzma.h)
find_library(LZMA_LIBRARY NAMES liblzma.a lzma)
if(NOT LZMA_INCLUDE_DIR OR NOT LZMA_LIBRARY)
  list(APPEND MISSING liblzma-dev)
endif()

# For profiles; headers only.
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_reader.hpp)
if(NOT PROTOZERO_INCLUDE_DIR)
  list(APPEND MISSING libprotozero-dev)
endif()
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/reader.h)
if(NOT RAPIDJSON_INCLUDE_DIR)
  list(APPEND MISSING rapidjson-dev)
endif()

if(LLVM_FOUND)
  # For command line options, whose tables TableGen reads.
  find_program(LLVM_TABLEGEN_EXE NAMES llvm-tblgen llvm-tblgen-${DEBIAN_LLVM}
    HINTS "${LLVM_TOOLS_BINARY_DIR}")
  if(NOT LLVM_TABLEGEN_EXE)
    list(APPEND MISSING llvm-${DEBIAN_LLVM})
  endif()
endif()

if(MISSING)
  list(JOIN MISSING " " MISSING)
  message(FATAL_ERROR "The build needs what is in these packages of Debian: "
    "${MISSING}\nutils/install-dependencies.sh installs all that the build "
    "can use. LLVM_DIR says where the LLVM (19.1 or 22.1) to be used has its "
    "LLVMConfig.cmake.")
endif()

# ISA-L decompresses zlib streams twice as fast as zlib, the fallback.
find_path(ISAL_INCLUDE_DIR isa-l/igzip_lib.h)
find_library(ISAL_LIBRARY isal)
set(LIDIA_HAVE_ISAL 0)
set(WHY_NOT)
if(ISAL_INCLUDE_DIR AND ISAL_LIBRARY)
  set(LIDIA_HAVE_ISAL 1)
else()
  set(WHY_NOT "zlib serves instead: libisal-dev is missing")
endif()
lidia_feature("Fast unpacking of zlib sections" "${WHY_NOT}")

# Archives at URLs: the headers of libcurl, which is loaded on demand.
set(LIDIA_HAVE_URLS OFF)
set(WHY_NOT)
if(NOT TARGET CURL::libcurl)
  set(WHY_NOT "libcurl4-openssl-dev is missing")
else()
  set(LIDIA_HAVE_URLS ON)
endif()
lidia_feature("Archives behind URLs, debuginfod servers" "${WHY_NOT}")

# The symbol server.
find_path(MICROHTTPD_INCLUDE_DIR microhttpd.h)
find_library(MICROHTTPD_LIBRARY microhttpd)
set(LIDIA_HAVE_SERVER OFF)
set(WHY_NOT)
if(NOT MICROHTTPD_INCLUDE_DIR OR NOT MICROHTTPD_LIBRARY)
  set(WHY_NOT "libmicrohttpd-dev is missing")
elseif(NOT LIDIA_HAVE_URLS)
  set(WHY_NOT "libcurl4-openssl-dev is missing")
else()
  set(LIDIA_HAVE_SERVER ON)
endif()
lidia_feature("Symbol server" "${WHY_NOT}")

# Packages as inputs of a store: the headers of libarchive, which is also loaded
# on demand.
set(LIDIA_HAVE_PACKAGES OFF)
set(WHY_NOT)
find_package(LibArchive QUIET)
if(NOT LibArchive_FOUND)
  set(WHY_NOT "libarchive-dev is missing")
else()
  set(LIDIA_HAVE_PACKAGES ON)
endif()
lidia_feature("Packages as inputs of a store" "${WHY_NOT}")

# The plugin is loaded into LLDB, which is not built with sanitizers.
find_path(LIDIA_LLDB_INCLUDE_DIR lldb/API/LLDB.h
  HINTS ${LLVM_INCLUDE_DIRS} NO_DEFAULT_PATH
  DOC "LLDB's headers, of the same version as LLVM (Debian: liblldb-${DEBIAN_LLVM}-dev)")
option(LIDIA_BUILD_LLDB_PLUGIN "Build the plugin for LLDB where it is possible"
  ON)
set(LIDIA_HAVE_LLDB_PLUGIN OFF)
set(WHY_NOT)
if(NOT LIDIA_BUILD_LLDB_PLUGIN)
  set(WHY_NOT "LIDIA_BUILD_LLDB_PLUGIN is off")
elseif(LIDIA_SANITIZE)
  set(WHY_NOT "LLDB is not built with sanitizers")
elseif(NOT LIDIA_LLDB_INCLUDE_DIR)
  set(WHY_NOT "liblldb-${DEBIAN_LLVM}-dev is missing")
elseif(NOT TARGET LLVM)
  set(WHY_NOT "this LLVM has no shared library")
else()
  set(LIDIA_HAVE_LLDB_PLUGIN ON)
endif()
lidia_feature("LLDB plugin" "${WHY_NOT}")

# For pip, whose build is useless without the module, a missing nanobind is an
# error.
option(LIDIA_BUILD_PYTHON "Build the Python module where it is possible" ON)
set(LIDIA_HAVE_PYTHON OFF)
set(WHY_NOT)
if(NOT LIDIA_BUILD_PYTHON)
  set(WHY_NOT "LIDIA_BUILD_PYTHON is off")
elseif(LIDIA_SANITIZE)
  set(WHY_NOT "Python is not built with sanitizers")
else()
  find_package(Python 3.11 QUIET COMPONENTS Interpreter Development.Module
    ${SKBUILD_SABI_COMPONENT})
  if(NOT Python_FOUND)
    set(WHY_NOT "python3-dev is missing")
  else()
    execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
      OUTPUT_VARIABLE NANOBIND_DIR OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    find_package(nanobind QUIET CONFIG HINTS "${NANOBIND_DIR}")
    if(nanobind_FOUND)
      set(LIDIA_HAVE_PYTHON ON)
    else()
      set(WHY_NOT "nanobind is missing: pip install . brings it")
    endif()
  endif()
endif()
if(SKBUILD AND NOT LIDIA_HAVE_PYTHON)
  message(FATAL_ERROR "The Python module cannot be built: ${WHY_NOT}")
endif()
lidia_feature("Python module" "${WHY_NOT}")

find_program(LIDIA_LOWDOWN lowdown
  DOC "lowdown, which makes manual pages of the command guide")
set(LIDIA_HAVE_MANUAL OFF)
set(WHY_NOT)
if(LIDIA_LOWDOWN)
  set(LIDIA_HAVE_MANUAL ON)
else()
  set(WHY_NOT "lowdown is missing")
endif()
lidia_feature("Manual page" "${WHY_NOT}")

if(LIDIA_BUILD_BENCHMARKS)
  find_package(benchmark QUIET)
  set(WHY_NOT)
  if(NOT benchmark_FOUND)
    set(WHY_NOT "libbenchmark-dev is missing")
  endif()
else()
  set(WHY_NOT "LIDIA_BUILD_BENCHMARKS is off")
endif()
lidia_feature("Micro-benchmarks" "${WHY_NOT}")

# Tests with further requirements check them individually.
set(LIDIA_HAVE_TESTS OFF)
set(LIDIA_WHY_NO_TESTS)
if(LIDIA_BUILD_TESTS)
  set(MISSING)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(NOT Python3_FOUND)
    list(APPEND MISSING python3)
  endif()
  find_file(LIDIA_LIT NAMES lit.py lit
    HINTS "${LLVM_TOOLS_BINARY_DIR}/../build/utils/lit" "${LLVM_TOOLS_BINARY_DIR}"
    DOC "LLVM's lit, which Debian ships in llvm-${DEBIAN_LLVM}-tools")
  find_program(LIDIA_FILECHECK FileCheck HINTS "${LLVM_TOOLS_BINARY_DIR}"
    NO_DEFAULT_PATH)
  if(NOT LIDIA_LIT OR NOT LIDIA_FILECHECK)
    list(APPEND MISSING llvm-${DEBIAN_LLVM}-tools)
  endif()
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    list(APPEND MISSING libgtest-dev)
  endif()
  if(MISSING)
    list(JOIN MISSING " and " MISSING)
    set(LIDIA_WHY_NO_TESTS "to be installed: ${MISSING}")
  else()
    set(LIDIA_HAVE_TESTS ON)
  endif()
else()
  set(LIDIA_WHY_NO_TESTS "LIDIA_BUILD_TESTS is off")
endif()
lidia_feature("Tests" "${LIDIA_WHY_NO_TESTS}")
