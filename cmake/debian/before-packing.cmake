# Run by cpack when the files of all packages are in place.

# Debian's pkg-config finds files for cross-compilation by the architecture.
file(GLOB FILES "${CPACK_TEMPORARY_DIRECTORY}/*/usr/lib/pkgconfig/*.pc")
foreach(FILE ${FILES})
  get_filename_component(NAME "${FILE}" NAME)
  get_filename_component(FOLDER "${FILE}" DIRECTORY)
  get_filename_component(LIBRARIES "${FOLDER}" DIRECTORY)
  set(ARCHITECTURE "${LIBRARIES}/${CPACK_LIDIA_ARCHITECTURE}")
  file(READ "${FILE}" TEXT)
  # The prefix is relative to the folder of the file.
  string(REPLACE "\${pcfiledir}/" "\${pcfiledir}/../" TEXT "${TEXT}")
  file(MAKE_DIRECTORY "${ARCHITECTURE}/pkgconfig")
  file(WRITE "${ARCHITECTURE}/pkgconfig/${NAME}" "${TEXT}")
  file(REMOVE_RECURSE "${FOLDER}")
endforeach()
