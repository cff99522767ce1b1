# Builds versitygw, or prints in one line why it cannot.
#
#   cmake -DGO=go -DBINARY=folder -DOUTPUT=file -P BuildS3Server.cmake
#
# Succeeds in both cases.
set(NAME versitygw)
set(MODULE github.com/versity/versitygw/cmd/versitygw@v1.8.0)

include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/GoProgram.cmake")
begin_go_program("${MODULE}")

# Go checks downloads against its own database of checksums.
execute_process(
  COMMAND "${CMAKE_COMMAND}" -E env "GOBIN=${BINARY}" GOWORK=off GOTOOLCHAIN=local
    CGO_ENABLED=0 "${GO}" install "${MODULE}"
  WORKING_DIRECTORY "${BINARY}"
  OUTPUT_VARIABLE MESSAGES ERROR_VARIABLE MESSAGES
  RESULT_VARIABLE STATUS
  TIMEOUT 300)
if(STATUS EQUAL 0)
  finish_program("${BINARY}/versitygw")
else()
  give_up_after_go("${STATUS}" "${MESSAGES}")
endif()
