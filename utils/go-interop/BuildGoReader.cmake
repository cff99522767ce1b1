# Builds go-reader with Lidia's Go module, or prints in one line why not.
#
#   cmake -DGO=go -DSOURCE=folder -DBINARY=folder -DOUTPUT=file
#         -P BuildGoReader.cmake
#
# Succeeds either way. A failure is recorded, so that builds without network
# access do not wait for it each time: the build is retried if the sources or
# Go's settings change, or if the file with the reason is removed.
set(REASON_FILE "${BINARY}/why-not.txt")

function(give_up REASON)
  file(REMOVE "${OUTPUT}")
  file(WRITE "${REASON_FILE}" "${STATE}\n${REASON}")
  message(NOTICE "go-reader: not built: ${REASON}")
endfunction()

# Everything that may change the result of a new attempt.
file(SHA256 "${SOURCE}/main.go" MAIN)
file(SHA256 "${SOURCE}/go.sum" MODULE)
set(SETTINGS)
if(GO)
  execute_process(
    COMMAND "${GO}" env GOVERSION GOPROXY GOSUMDB GONOSUMDB GOFLAGS GOMODCACHE
    WORKING_DIRECTORY "${BINARY}"
    OUTPUT_VARIABLE SETTINGS ERROR_QUIET TIMEOUT 20)
  string(REGEX REPLACE "[\n;]+" " " SETTINGS "${SETTINGS}")
endif()
set(STATE "${MAIN} ${MODULE} ${GO} ${SETTINGS}")

set(STATE_FILE "${BINARY}/state.txt")
if(EXISTS "${OUTPUT}" AND EXISTS "${STATE_FILE}")
  file(READ "${STATE_FILE}" BUILT)
  if(BUILT STREQUAL STATE)
    return()
  endif()
endif()
if(EXISTS "${REASON_FILE}")
  file(READ "${REASON_FILE}" LAST)
  string(FIND "${LAST}" "${STATE}\n" FOUND)
  if(FOUND EQUAL 0)
    string(LENGTH "${STATE}\n" START)
    string(SUBSTRING "${LAST}" ${START} -1 REASON)
    message(NOTICE "go-reader: not built: ${REASON}")
    return()
  endif()
endif()

if(NOT GO)
  give_up("Go is not installed")
  return()
endif()

# Build a copy, so that Go does not modify the sources. Downloads are checked
# against go.sum.
file(COPY "${SOURCE}/main.go" "${SOURCE}/go.mod" "${SOURCE}/go.sum"
  DESTINATION "${BINARY}/source")
# Go before 1.21 does not understand the Go version in go.mod, and later ones
# require at least the version in the module's own go.mod.
if(SETTINGS MATCHES "^go1\\.(1[0-9]|20)[^0-9]")
  file(READ "${SOURCE}/go.mod" GO_MOD)
  string(REGEX REPLACE "\ngo [0-9.]+" "\ngo 1.${CMAKE_MATCH_1}" GO_MOD "${GO_MOD}")
  file(WRITE "${BINARY}/source/go.mod" "${GO_MOD}")
endif()
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env GOWORK=off GOTOOLCHAIN=local CGO_ENABLED=0
    "${GO}" build -mod=readonly -o "${BINARY}/go-reader" .
  WORKING_DIRECTORY "${BINARY}/source"
  OUTPUT_VARIABLE MESSAGES ERROR_VARIABLE MESSAGES
  RESULT_VARIABLE STATUS
  TIMEOUT 120)
if(STATUS EQUAL 0)
  file(REMOVE "${REASON_FILE}")
  get_filename_component(FOLDER "${OUTPUT}" DIRECTORY)
  file(MAKE_DIRECTORY "${FOLDER}")
  file(RENAME "${BINARY}/go-reader" "${OUTPUT}")
  file(WRITE "${STATE_FILE}" "${STATE}")
  return()
endif()

if(STATUS MATCHES "timeout")
  give_up("Go did not end within two minutes")
  return()
endif()
# The last line is the most informative; those before it list downloads.
string(STRIP "${MESSAGES}" MESSAGES)
string(REGEX REPLACE ".*\n" "" REASON "${MESSAGES}")
string(REGEX REPLACE "^main.go:[0-9:]+ *" "" REASON "${REASON}")
string(STRIP "${REASON}" REASON)
give_up("${REASON}")
