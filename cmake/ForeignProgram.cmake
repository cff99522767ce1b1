# Functions for the scripts that build test programs in other languages, which
# need downloads. Each script builds a program, or prints in one line why it
# cannot.
#
# The including script must define NAME, the program's name; BINARY, the folder
# to build in; OUTPUT, the program's path; and STATE, everything that may change
# the result of a new attempt. A failure is recorded, so that builds without
# network access do not wait for it each time. The build is retried if STATE
# changes, or if the file with the reason is removed.

set(REASON_FILE "${BINARY}/why-not.txt")
set(STATE_FILE "${BINARY}/state.txt")

function(give_up REASON)
  file(REMOVE "${OUTPUT}")
  file(WRITE "${REASON_FILE}" "${STATE}\n${REASON}")
  message(NOTICE "${NAME}: not built: ${REASON}")
endfunction()

# Sets DECIDED if the program is up to date or the last attempt failed in the same
# state.
function(reuse_last_attempt)
  set(DECIDED FALSE PARENT_SCOPE)
  if(EXISTS "${OUTPUT}" AND EXISTS "${STATE_FILE}")
    file(READ "${STATE_FILE}" BUILT)
    if(BUILT STREQUAL STATE)
      set(DECIDED TRUE PARENT_SCOPE)
      return()
    endif()
  endif()
  if(EXISTS "${REASON_FILE}")
    file(READ "${REASON_FILE}" LAST)
    string(FIND "${LAST}" "${STATE}\n" FOUND)
    if(FOUND EQUAL 0)
      string(LENGTH "${STATE}\n" START)
      string(SUBSTRING "${LAST}" ${START} -1 REASON)
      message(NOTICE "${NAME}: not built: ${REASON}")
      set(DECIDED TRUE PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Moves the file BUILT to the program's path.
function(finish_program BUILT)
  file(REMOVE "${REASON_FILE}")
  get_filename_component(FOLDER "${OUTPUT}" DIRECTORY)
  file(MAKE_DIRECTORY "${FOLDER}")
  file(RENAME "${BUILT}" "${OUTPUT}")
  file(WRITE "${STATE_FILE}" "${STATE}")
endfunction()
