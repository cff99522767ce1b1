# Functions for the scripts that build test programs with Go, in addition to
# those of ForeignProgram.cmake. The including script must define the variables
# that it needs, except STATE, and GO, the path of the go program.

include("${CMAKE_CURRENT_LIST_DIR}/ForeignProgram.cmake")

# Sets SETTINGS to everything about Go that may change the result of a new attempt.
function(describe_go)
  set(SETTINGS)
  if(GO)
    execute_process(
      COMMAND "${GO}" env GOVERSION GOPROXY GOSUMDB GONOSUMDB GOFLAGS GOMODCACHE
      WORKING_DIRECTORY "${BINARY}"
      OUTPUT_VARIABLE SETTINGS ERROR_QUIET TIMEOUT 20)
    string(REGEX REPLACE "[\n;]+" " " SETTINGS "${SETTINGS}")
  endif()
  set(SETTINGS "${SETTINGS}" PARENT_SCOPE)
endfunction()

# Ends the including script if the program is up to date or cannot be built.
# SOURCES identifies its sources.
macro(begin_go_program SOURCES)
  describe_go()
  set(STATE "${SOURCES} ${GO} ${SETTINGS}")
  reuse_last_attempt()
  if(DECIDED)
    return()
  endif()
  if(NOT GO)
    give_up("Go is not installed")
    return()
  endif()
endmacro()

# Records why Go failed. It ended with STATUS and printed MESSAGES.
function(give_up_after_go STATUS MESSAGES)
  if(STATUS MATCHES "timeout")
    give_up("Go did not end in time")
    return()
  endif()
  # The last line is the most informative; those before it list downloads.
  string(STRIP "${MESSAGES}" MESSAGES)
  string(REGEX REPLACE ".*\n" "" REASON "${MESSAGES}")
  string(REGEX REPLACE "^main.go:[0-9:]+ *" "" REASON "${REASON}")
  string(STRIP "${REASON}" REASON)
  give_up("${REASON}")
endfunction()
