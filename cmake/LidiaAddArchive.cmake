# For projects that use lidia: part of find_package(lidia).

# lidia_add_archive(TARGET [OPTIONS option...] [STORE store])
#
# Makes the archive of TARGET, a program, a shared library or a module of the same
# CMakeLists.txt, beside it each time it is linked: $<TARGET_FILE:TARGET>.lidia. OPTIONS
# are those of "llvm-lidia create", by default --crc --lines. With STORE the archive is
# also added to that store, a folder or a URL as for "llvm-lidia store add".
#
# The program is lidia::llvm-lidia, which LIDIA_TOOL overrides.
function(lidia_add_archive TARGET)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "STORE" "OPTIONS")
  if(DEFINED ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "lidia_add_archive(${TARGET}): unknown: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(DEFINED ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR
      "lidia_add_archive(${TARGET}): without a value: ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT TARGET "${TARGET}")
    message(FATAL_ERROR "lidia_add_archive(${TARGET}): there is no such target")
  endif()
  get_target_property(TYPE "${TARGET}" TYPE)
  if(NOT TYPE MATCHES "^(EXECUTABLE|SHARED_LIBRARY|MODULE_LIBRARY)$")
    message(FATAL_ERROR "lidia_add_archive(${TARGET}): the target is not linked: ${TYPE}")
  endif()
  if(NOT TARGET lidia::llvm-lidia)
    message(FATAL_ERROR "lidia_add_archive(${TARGET}): llvm-lidia is neither installed with "
      "this package nor on the PATH: install it (the package llvm-lidia), or set LIDIA_TOOL")
  endif()
  if(NOT DEFINED ARG_OPTIONS)
    set(ARG_OPTIONS --crc --lines)
  endif()

  set(ARCHIVE "$<TARGET_FILE:${TARGET}>.lidia")
  set(ADD)
  if(DEFINED ARG_STORE)
    set(ADD COMMAND lidia::llvm-lidia store add "${ARG_STORE}" "${ARCHIVE}")
  endif()
  add_custom_command(TARGET "${TARGET}" POST_BUILD
    COMMAND lidia::llvm-lidia create ${ARG_OPTIONS} -o "${ARCHIVE}" "$<TARGET_FILE:${TARGET}>"
    ${ADD}
    VERBATIM)
  set_property(TARGET "${TARGET}" APPEND PROPERTY ADDITIONAL_CLEAN_FILES "${ARCHIVE}")
endfunction()
