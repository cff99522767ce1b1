# Debian packages: "cpack -G DEB" in the build folder makes one for each of the
# install components tool, development and plugin. Files whose place on Debian
# differs from other systems are installed twice: by the component local for
# "cmake --install", and with EXCLUDE_FROM_ALL by the package's component.

# The project has no mail address. Those who distribute packages set theirs.
set(LIDIA_PACKAGE_CONTACT "The lidia project <lidia@example.org>" CACHE STRING
  "The maintainer that the Debian packages name, as \"Name <address>\"")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lidia)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
# Each package has its own description.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGE_CONTACT "${LIDIA_PACKAGE_CONTACT}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENTS_ALL)
set(CPACK_LIDIA_ARCHITECTURE "${CMAKE_LIBRARY_ARCHITECTURE}")
set(CPACK_PRE_BUILD_SCRIPTS
  "${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/before-packing.cmake")
set(CPACK_POST_BUILD_SCRIPTS
  "${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/after-packing.cmake")

# lidia_add_debian_package(COMPONENT NAME SECTION SUMMARY DESCRIPTION)
#
# Defines the component's package. Its dependencies are those that
# dpkg-shlibdeps finds and those in CPACK_DEBIAN_<COMPONENT>_PACKAGE_DEPENDS.
macro(lidia_add_debian_package COMPONENT NAME SECTION SUMMARY DESCRIPTION)
  list(APPEND CPACK_COMPONENTS_ALL ${COMPONENT})
  string(TOUPPER ${COMPONENT} UPPER)
  set(CPACK_DEBIAN_${UPPER}_PACKAGE_NAME ${NAME})
  set(CPACK_DEBIAN_${UPPER}_PACKAGE_SECTION ${SECTION})
  set(CPACK_DEBIAN_${UPPER}_DESCRIPTION "${SUMMARY}\n${DESCRIPTION}")
  install(FILES "${LIDIA_DEBIAN_DIR}/copyright"
    "${LIDIA_DEBIAN_DIR}/changelog.gz"
    DESTINATION share/doc/${NAME} COMPONENT ${COMPONENT} EXCLUDE_FROM_ALL)
  # The licenses of what our programs and shared libraries contain.
  if(NOT ${COMPONENT} MATCHES "interface|development")
    install(DIRECTORY licenses DESTINATION share/doc/${NAME}
      COMPONENT ${COMPONENT} EXCLUDE_FROM_ALL)
  endif()
endmacro()
install(DIRECTORY licenses DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT local)

# The text of the exception, as a field of Debian's copyright file.
set(LIDIA_DEBIAN_DIR "${CMAKE_CURRENT_BINARY_DIR}/debian")
file(READ LICENSE.txt LIDIA_LICENSE_EXCEPTION)
string(REGEX REPLACE "^.*\n---- LLVM Exceptions[^\n]*\n\n" ""
  LIDIA_LICENSE_EXCEPTION "${LIDIA_LICENSE_EXCEPTION}")
string(STRIP "${LIDIA_LICENSE_EXCEPTION}" LIDIA_LICENSE_EXCEPTION)
string(REPLACE "\n" "\n " LIDIA_LICENSE_EXCEPTION "${LIDIA_LICENSE_EXCEPTION}")
string(REPLACE "\n \n" "\n .\n"
  LIDIA_LICENSE_EXCEPTION "${LIDIA_LICENSE_EXCEPTION}")
configure_file(cmake/debian/copyright.in "${LIDIA_DEBIAN_DIR}/copyright" @ONLY)
configure_file(cmake/debian/changelog.in "${LIDIA_DEBIAN_DIR}/changelog" @ONLY)
execute_process(COMMAND gzip -9nc "${LIDIA_DEBIAN_DIR}/changelog"
  OUTPUT_FILE "${LIDIA_DEBIAN_DIR}/changelog.gz" COMMAND_ERROR_IS_FATAL ANY)

set(LLVM_MAJOR ${LLVM_VERSION_MAJOR})
set(LLVM_SINCE "1:${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}")
math(EXPR LLVM_NEXT_MINOR "${LLVM_VERSION_MINOR} + 1")
set(LLVM_BEFORE "1:${LLVM_VERSION_MAJOR}.${LLVM_NEXT_MINOR}~")

lidia_add_debian_package(tool llvm-lidia devel
  "answers addresses with functions, files and lines"
  "llvm-lidia turns an ELF binary with its debug information into an archive, a
compact file that is mapped and that answers an address with the whole chain
of inlined functions, each with file and line. Options and output of lookups
are those of llvm-symbolizer.")

# For compressed sections, URLs, and packages as inputs of a store: loaded on demand.
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS
  "libisal2, libcurl4 | libcurl3-gnutls, libarchive13")
# "dh --with lidia", whose users depend on debhelper.
set(CPACK_DEBIAN_TOOL_PACKAGE_PROVIDES dh-sequence-lidia)

lidia_add_debian_package(library liblidia1 libs
  "answers addresses with functions, files and lines (C library)"
  "A library for programs in C and all languages that can call it: opening Lidia
archives and looking addresses up, converting binaries, and the addresses of
processes.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS libisal2)

# What dpkg-shlibdeps reads when a package is built that uses the library, and the
# request to update the linker's cache. Functions are only ever added; one that is
# added later than the first version has its own minimum here.
set(SOVERSION 1)
file(READ include/lidia-c/lidia.h LIDIA_C_HEADER)
string(REGEX MATCHALL "\nLIDIA_API[^;(]*[ *\n]lidia_[a-z0-9_]+\\("
  LIDIA_C_FUNCTIONS "${LIDIA_C_HEADER}")
set(LIDIA_DEBIAN_SYMBOLS)
foreach(FUNCTION ${LIDIA_C_FUNCTIONS})
  string(REGEX REPLACE ".*[ *\n](lidia_[a-z0-9_]+)\\($" "\\1" FUNCTION "${FUNCTION}")
  list(APPEND LIDIA_DEBIAN_SYMBOLS
    " ${FUNCTION}@LIDIA_${SOVERSION} ${PROJECT_VERSION}")
endforeach()
list(SORT LIDIA_DEBIAN_SYMBOLS)
list(JOIN LIDIA_DEBIAN_SYMBOLS "\n" LIDIA_DEBIAN_SYMBOLS)
set(AT "@")
foreach(FILE shlibs symbols)
  configure_file(cmake/debian/${FILE}.in "${LIDIA_DEBIAN_DIR}/${FILE}" @ONLY)
endforeach()
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
  "${LIDIA_DEBIAN_DIR}/shlibs" "${LIDIA_DEBIAN_DIR}/symbols"
  "${CMAKE_CURRENT_SOURCE_DIR}/cmake/debian/triggers")

lidia_add_debian_package(interface liblidia-c-dev libdevel
  "answers addresses with functions, files and lines (header for C)"
  "What programs need to be built with the C library: its header, a file for
pkg-config, and a package for CMake (find_package(lidia COMPONENTS C)). It does
not need LLVM.")
set(CPACK_DEBIAN_INTERFACE_PACKAGE_DEPENDS "liblidia1 (= ${PROJECT_VERSION})")

lidia_add_debian_package(development liblidia-dev libdevel
  "reads and makes Lidia archives (static libraries and headers)"
  "The libraries that llvm-lidia is made of: opening archives and looking
addresses up, converting ELF binaries with DWARF or Go's tables, and a cache
of archives. The package for CMake finds them and the LLVM that they need.")
set(LIBRARY_PACKAGES "liblidia-c-dev (= ${PROJECT_VERSION})"
  "llvm-${LLVM_MAJOR}-dev (>= ${LLVM_SINCE})"
  "llvm-${LLVM_MAJOR}-dev (<< ${LLVM_BEFORE})"
  zlib1g-dev libzstd-dev liblzma-dev)
list(JOIN LIBRARY_PACKAGES ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)

if(LIDIA_HAVE_LLDB_PLUGIN)
  lidia_add_debian_package(plugin lldb-${LLVM_MAJOR}-lidia devel
    "lets LLDB ${LLVM_MAJOR} use Lidia archives as symbol files"
    "A plugin for LLDB: backtraces with inlined functions, breakpoints by name and
by line, stepping and lookups in programs without debug information, from the
archives that llvm-lidia makes. It is loaded by this command, which may be in
~/.lldbinit:
.
 plugin load /usr/lib/lidia/lldb-${LLVM_MAJOR}/liblldbPluginLidia.so")
  # The plugin takes LLDB's functions from the program that loads it, and
  # refuses other versions. It runs llvm-lidia and parses its output.
  set(CPACK_DEBIAN_PLUGIN_PACKAGE_DEPENDS
    "liblldb-${LLVM_MAJOR} (>= ${LLVM_SINCE}), liblldb-${LLVM_MAJOR} (<< ${LLVM_BEFORE}), llvm-lidia (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_PLUGIN_PACKAGE_RECOMMENDS lldb-${LLVM_MAJOR})
endif()

include(CPack)
