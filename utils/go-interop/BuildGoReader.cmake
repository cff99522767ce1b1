# Builds go-reader with Lidia's Go module, or prints in one line why it cannot.
#
#   cmake -DGO=go -DSOURCE=folder -DBINARY=folder -DOUTPUT=file
#         -P BuildGoReader.cmake
#
# Succeeds in both cases.
set(NAME go-reader)

# Everything that may change the result of a new attempt.
file(SHA256 "${SOURCE}/main.go" MAIN)
file(SHA256 "${SOURCE}/go.sum" MODULE)
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/GoProgram.cmake")
begin_go_program("${MAIN} ${MODULE}")

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
  finish_program("${BINARY}/go-reader")
else()
  give_up_after_go("${STATUS}" "${MESSAGES}")
endif()
