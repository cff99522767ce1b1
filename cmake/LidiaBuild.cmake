# The flags of all targets in the project, and the two functions that define our
# libraries and programs.

add_library(lidia_flags INTERFACE)
target_compile_options(lidia_flags INTERFACE
  -Wall -Wextra -fno-exceptions -fno-rtti -fvisibility-inlines-hidden
  -ffunction-sections -fdata-sections
  $<$<BOOL:${LIDIA_WERROR}>:-Werror>)
# GCC 14 warns about each reference that a function returns if it was given a
# temporary object: cantFail(Curl::get()). LLVM switches this off, too.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(lidia_flags INTERFACE -Wno-dangling-reference)
endif()
# GCC warns about members whose type is in the anonymous namespace of an included file:
# in a group, each file but the group's own is one.
if(LIDIA_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(lidia_flags INTERFACE -Wno-subobject-linkage)
endif()
target_link_options(lidia_flags INTERFACE -Wl,--gc-sections)

if(LIDIA_SANITIZE)
  target_compile_options(lidia_flags INTERFACE
    -fsanitize=${LIDIA_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer -g1)
  target_link_options(lidia_flags INTERFACE -fsanitize=${LIDIA_SANITIZE})
  # The vptr check needs type information, without which we build.
  if(LIDIA_SANITIZE MATCHES "undefined")
    target_compile_options(lidia_flags INTERFACE -fno-sanitize=vptr,function)
  endif()
  if(LIDIA_SANITIZE MATCHES "address")
    add_library(lidia_sanitizer_options OBJECT
      "${CMAKE_CURRENT_LIST_DIR}/AddressSanitizerOptions.cpp")
    set_target_properties(lidia_sanitizer_options PROPERTIES
      POSITION_INDEPENDENT_CODE ON)
    target_sources(lidia_flags INTERFACE
      $<BUILD_INTERFACE:$<TARGET_OBJECTS:lidia_sanitizer_options>>)
  endif()
endif()

# lidia_precompile_headers(TARGET GROUP [HEADERS...])
#
# Parses headers that most files include, and HEADERS, once for all targets of GROUP.
# These must be compiled with the same flags. LIDIA_PRECOMPILE_HEADERS=OFF shows which
# files lack one of these includes. More headers would make GCC slower: it loads all.
function(lidia_precompile_headers NAME GROUP)
  if(NOT LIDIA_PRECOMPILE_HEADERS)
    return()
  endif()
  get_property(FIRST GLOBAL PROPERTY LIDIA_HEADERS_OF_${GROUP})
  if(FIRST)
    target_precompile_headers(${NAME} REUSE_FROM ${FIRST})
    return()
  endif()
  set_property(GLOBAL PROPERTY LIDIA_HEADERS_OF_${GROUP} ${NAME})
  target_precompile_headers(${NAME} PRIVATE
    <algorithm> <functional> <map> <memory> <mutex> <optional> <string> <vector>
    <llvm/ADT/DenseMap.h> <llvm/ADT/Sequence.h> <llvm/ADT/SmallVector.h>
    <llvm/ADT/STLExtras.h> <llvm/ADT/StringExtras.h> <llvm/ADT/StringMap.h>
    <llvm/ADT/StringSwitch.h> <llvm/BinaryFormat/Dwarf.h> <llvm/BinaryFormat/ELF.h>
    <llvm/Support/Endian.h> <llvm/Support/Error.h> <llvm/Support/FileSystem.h>
    <llvm/Support/FormatVariadic.h> <llvm/Support/MemoryBuffer.h>
    <llvm/Support/Path.h> <llvm/Support/raw_ostream.h> ${ARGN})
endfunction()

# lidia_optimize_little(TARGET)
#
# For programs that only tests run: compiles faster than a release's optimisation.
function(lidia_optimize_little NAME)
  target_compile_options(${NAME} PRIVATE
    $<$<CONFIG:Release,RelWithDebInfo>:-O1>)
endfunction()

# Makes NAME.inc in the current build folder: the HTML page PAGE as a C++ literal, with
# the parts that pages share.
function(lidia_embed_page PAGE NAME)
  set(PARTS "${PROJECT_SOURCE_DIR}/lib/Output/Page")
  set(SCRIPT "${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake")
  add_custom_command(OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${NAME}.inc"
    COMMAND "${CMAKE_COMMAND}"
      "-DFROM=${CMAKE_CURRENT_SOURCE_DIR}/${PAGE}"
      "-DPARTS=${PARTS}"
      "-DTO=${CMAKE_CURRENT_BINARY_DIR}/${NAME}.inc"
      -P "${SCRIPT}"
    DEPENDS "${PAGE}" "${SCRIPT}" "${PARTS}/Head.html" "${PARTS}/Style.css"
      "${PARTS}/Script.js"
    VERBATIM)
endfunction()

# lidia_add_library(NAME SOURCES... [LIDIA libs...] [LLVM components...]
#                   [LIBS libs...])
#
# A static library that is installed with the package. LLVM is linked as static
# libraries, because loading the shared one takes 14 of the 16 ms of a cold
# start.
function(lidia_add_library NAME)
  cmake_parse_arguments(ARG "" "" "LIDIA;LLVM;LIBS" ${ARGN})
  add_library(${NAME} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(NOT NAME STREQUAL LidiaSupport)
    list(APPEND ARG_LIDIA LidiaSupport)
  endif()
  # For lidia_use_shared_llvm.
  set_target_properties(${NAME} PROPERTIES
    LIDIA_USES "${ARG_LIDIA}" LIDIA_USES_LIBS "${ARG_LIBS}"
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    UNITY_BUILD ${LIDIA_UNITY_BUILD})
  target_compile_features(${NAME} PUBLIC cxx_std_17)
  lidia_use(${NAME} PUBLIC LIDIA ${ARG_LIDIA} LLVM ${ARG_LLVM}
    LIBS ${ARG_LIBS})
  lidia_precompile_headers(${NAME} LIBRARIES)
  set_property(GLOBAL APPEND PROPERTY LIDIA_LIBRARIES ${NAME})
  install(TARGETS ${NAME} EXPORT LidiaTargets COMPONENT development
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endfunction()

# lidia_use(TARGET PUBLIC|PRIVATE [LIDIA libs...] [LLVM components...]
#           [LIBS libs...])
function(lidia_use NAME SCOPE)
  cmake_parse_arguments(ARG "" "" "LIDIA;LLVM;LIBS" ${ARGN})
  target_include_directories(${NAME} ${SCOPE}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  # Headers of other libraries that are not installed.
  target_include_directories(${NAME} PRIVATE "${PROJECT_SOURCE_DIR}/lib")
  target_include_directories(${NAME} SYSTEM ${SCOPE} ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${NAME} ${SCOPE} ${LLVM_DEFINITIONS_LIST})
  llvm_map_components_to_libnames(LLVM_LIBS ${ARG_LLVM})
  list(TRANSFORM ARG_LIDIA PREPEND "${LIDIA_PREFIX}")
  target_link_libraries(${NAME} ${SCOPE} ${ARG_LIDIA} ${LLVM_LIBS} ${ARG_LIBS})
  target_link_libraries(${NAME} PRIVATE $<BUILD_INTERFACE:lidia_flags>)
endfunction()

# lidia_use_shared_llvm(TARGET LIDIA libs...)
#
# Links our libraries and their dependencies, except LLVM's shared library, into
# a library for a program that has already loaded LLVM (LLDB). Two copies of
# LLVM in one process would each have their own options and error classes.
function(lidia_use_shared_llvm NAME)
  cmake_parse_arguments(ARG "" "" "LIDIA" ${ARGN})
  target_include_directories(${NAME} PRIVATE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/lib")
  target_include_directories(${NAME} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${NAME} PRIVATE ${LLVM_DEFINITIONS_LIST})
  # Link the .a files themselves, because the targets would also link static
  # LLVM.
  set(FILES)
  set(LIBS)
  set(SEEN)
  while(ARG_LIDIA)
    list(POP_FRONT ARG_LIDIA LIBRARY)
    if(NOT LIBRARY IN_LIST SEEN)
      list(APPEND SEEN ${LIBRARY})
      list(APPEND FILES $<TARGET_FILE:${LIBRARY}>)
      get_target_property(USES ${LIBRARY} LIDIA_USES)
      get_target_property(USES_LIBS ${LIBRARY} LIDIA_USES_LIBS)
      list(APPEND ARG_LIDIA ${USES})
      list(APPEND LIBS ${USES_LIBS})
      add_dependencies(${NAME} ${LIBRARY})
    endif()
  endwhile()
  target_link_libraries(${NAME} PRIVATE
    -Wl,--start-group ${FILES} -Wl,--end-group ${LIBS} LLVM lidia_flags)
  set_property(TARGET ${NAME} APPEND PROPERTY LINK_DEPENDS ${FILES})
endfunction()

separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
list(TRANSFORM LLVM_DEFINITIONS_LIST REPLACE "^-D" "")
