# Removes the files that the last "cmake --install" listed in its manifest:
#
#   cmake -DMANIFEST=build/install_manifest.txt -P cmake/uninstall.cmake
#
# DESTDIR works as for "cmake --install". Folders named lidia that become empty
# are removed, too.

if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "Nothing was installed: there is no ${MANIFEST}")
endif()
file(STRINGS "${MANIFEST}" FILES)
set(FOLDERS)
foreach(FILE IN LISTS FILES)
  set(FILE "$ENV{DESTDIR}${FILE}")
  if(EXISTS "${FILE}" OR IS_SYMLINK "${FILE}")
    message(STATUS "Uninstalling: ${FILE}")
    file(REMOVE "${FILE}")
    if(EXISTS "${FILE}" OR IS_SYMLINK "${FILE}")
      message(SEND_ERROR "${FILE} could not be removed")
    endif()
  else()
    message(STATUS "Not there: ${FILE}")
  endif()
  # All folders from lidia/ down.
  string(REGEX MATCH "^.*/lidia/" FOLDER "${FILE}")
  if(FOLDER)
    get_filename_component(FOLDER "${FILE}" DIRECTORY)
    while(FOLDER MATCHES "/lidia(/|$)")
      list(APPEND FOLDERS "${FOLDER}")
      get_filename_component(FOLDER "${FOLDER}" DIRECTORY)
    endwhile()
  endif()
endforeach()

# Innermost folders first.
list(REMOVE_DUPLICATES FOLDERS)
list(SORT FOLDERS ORDER DESCENDING)
foreach(FOLDER IN LISTS FOLDERS)
  file(GLOB REST LIST_DIRECTORIES ON "${FOLDER}/*" "${FOLDER}/.[!.]*")
  if(IS_DIRECTORY "${FOLDER}" AND NOT REST)
    file(REMOVE_RECURSE "${FOLDER}")
  endif()
endforeach()
