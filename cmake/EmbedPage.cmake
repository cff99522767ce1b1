# cmake -DFROM=<page> -DPARTS=<folder> -DTO=<file> -P EmbedPage.cmake
#
# Writes an HTML page as a C++ literal, to be included in place of a value, with files of
# the folder in the places of lines "{{include FILE}}".

file(READ "${FROM}" TEXT)
while(TEXT MATCHES "{{include ([A-Za-z.]+)}}\n")
  set(LINE "${CMAKE_MATCH_0}")
  file(READ "${PARTS}/${CMAKE_MATCH_1}" PART)
  string(REPLACE "${LINE}" "${PART}" TEXT "${TEXT}")
endwhile()
if(TEXT MATCHES "[)]EMBEDDED\"")
  message(FATAL_ERROR "${FROM} contains what would end the literal")
endif()
file(WRITE "${TO}" "R\"EMBEDDED(${TEXT})EMBEDDED\"\n")
