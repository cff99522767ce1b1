# Functions of the scripts that build test programs with Go, besides those of
# ForeignProgram.cmake. The including script has GO, the program, and BINARY, the
# folder to build in.

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

# Records why Go, which ended with STATUS and printed MESSAGES, failed.
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
