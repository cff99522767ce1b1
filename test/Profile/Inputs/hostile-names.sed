# Makes the names in flame.txt what should not be markup, JSON or text.
s/"main"/"<\/script><script>window.wasRun = 1<\/script><!--<script>"/
s/"src.main.cpp"/"a\\"b\\\\c\\n\\x1b[31m\\x00\\xe2\\x80\\xa8"/
s/"ns::write(int)"/"\\xff\\xc0\\x80\\xed\\xa0\\x80<\/sCRIPT >"/
s/"ns::parse(char const\*)"/"<img src=x onerror='window.wasRun = 1'>"/
s/"cpu"/"<\/script>"/
s/"nanoseconds"/"]]\\""/
s/"program"/"\\xe2\\x80\\xae"/
s/"\/lib\/libc.so.6"/"\/lib\/<!--"/
