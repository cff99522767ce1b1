# Builds the program NAME with cargo, or prints in one line why it cannot.
#
#   cmake -DNAME=name -DCARGO=cargo -DSOURCE=folder -DBINARY=folder
#         -DOUTPUT=file -P BuildRustReader.cmake
#
# Succeeds in both cases.

file(SHA256 "${SOURCE}/src/main.rs" MAIN)
file(SHA256 "${SOURCE}/Cargo.toml" CRATES)
set(VERSION)
if(CARGO)
  execute_process(COMMAND "${CARGO}" --version OUTPUT_VARIABLE VERSION
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET TIMEOUT 20)
endif()
set(STATE "${MAIN} ${CRATES} ${CARGO} ${VERSION} $ENV{CARGO_HOME}")
include("${CMAKE_CURRENT_LIST_DIR}/ForeignProgram.cmake")
reuse_last_attempt()
if(DECIDED)
  return()
endif()

if(NOT CARGO)
  give_up("cargo is not installed")
  return()
endif()
# Build a copy, because cargo writes a lock file beside the sources.
file(COPY "${SOURCE}/src" "${SOURCE}/Cargo.toml" DESTINATION "${BINARY}/source")
execute_process(
  COMMAND "${CARGO}" build --quiet --target-dir "${BINARY}/target"
  WORKING_DIRECTORY "${BINARY}/source"
  OUTPUT_VARIABLE MESSAGES ERROR_VARIABLE MESSAGES
  RESULT_VARIABLE STATUS
  TIMEOUT 600)
if(STATUS EQUAL 0)
  finish_program("${BINARY}/target/debug/${NAME}")
  return()
endif()

if(STATUS MATCHES "timeout")
  give_up("cargo did not end within ten minutes")
  return()
endif()
# The first line is the error. Its causes and advice follow.
string(REGEX MATCH "error[^\n]*" REASON "${MESSAGES}")
string(STRIP "${REASON}" REASON)
give_up("cargo: ${REASON}")
