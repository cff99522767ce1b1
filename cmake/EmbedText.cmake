# cmake -DFROM=<text file> -DTO=<file> -P EmbedText.cmake
#
# Writes a text file as a literal of C++, to be included where a value stands.

file(READ "${FROM}" TEXT)
if(TEXT MATCHES "[)]EMBEDDED\"")
  message(FATAL_ERROR "${FROM} contains what would end the literal")
endif()
file(WRITE "${TO}" "R\"EMBEDDED(${TEXT})EMBEDDED\"\n")
