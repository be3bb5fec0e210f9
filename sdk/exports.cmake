# Writes the version script of a libbmlib.so: it exports the functions that C headers declare, and nothing else. A
# pattern like okk_* would do for the functions, but it would show our own objects as well, and a program's variable of
# the same name would then take the place of ours.
#
#   cmake -D OUTPUT=exports.map -D HEADERS=okk.h,bmlib_runtime.h [-D MORE=names] -P exports.cmake
#
# Headers are read as they are, all branches of their #if. What they define inline is not exported.

string(REPLACE "," ";" headers "${HEADERS}")
string(REPLACE "," ";" names "${MORE}")
foreach(header IN LISTS headers)
  file(READ ${header} text)
  string(REPLACE ";" "@" text "${text}") # CMake's lists end at a semicolon
  string(REGEX REPLACE "[][]" " " text "${text}")
  string(REGEX REPLACE "extern \"C\" {" "" text "${text}")
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
  string(REGEX REPLACE "\n[ \t]*#([^\n]*\\\\\n)*[^\n]*" "\n" text "\n${text}")
  while(text MATCHES "{[^{}]*}") # structures and the bodies of inline functions
    string(REGEX REPLACE "{[^{}]*}" "%" text "${text}")
  endwhile()
  string(REGEX REPLACE "__attribute__\\(\\([^()]*(\\([^()]*\\))?[^()]*\\)\\)" "" text "${text}")
  string(REGEX REPLACE "\\(\\*[^()]*\\)[ \n]*\\([^()]*\\)" "" text "${text}") # pointers to functions
  string(REGEX MATCHALL "[A-Za-z_][A-Za-z0-9_]*\\([^()@%]*\\)[A-Za-z_ \n]*@" declarations "${text}")
  if(NOT declarations)
    message(FATAL_ERROR "${header} declares no function")
  endif()
  list(TRANSFORM declarations REPLACE "\\(.*" "")
  list(APPEND names ${declarations})
endforeach()
list(SORT names)
list(REMOVE_DUPLICATES names)
list(TRANSFORM names REPLACE "(.+)" "    \\1;" OUTPUT_VARIABLE lines)
string(REPLACE ";;" ";\n" lines "${lines}")
file(WRITE ${OUTPUT} "{\n  global:\n${lines}\n  local:\n    *;\n};\n")
