# cmake -DFROM=<text file> -DTO=<file> -P EmbedText.cmake
#
# Writes a text file as a C++ literal, to be included in place of a value.

file(READ "${FROM}" TEXT)
if(TEXT MATCHES "[)]EMBEDDED\"")
  message(FATAL_ERROR "${FROM} contains what would end the literal")
endif()
file(WRITE "${TO}" "R\"EMBEDDED(${TEXT})EMBEDDED\"\n")
