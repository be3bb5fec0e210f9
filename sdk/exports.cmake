# Writes the version script of a libbmlib.so: it exports the functions that C headers declare, and nothing else. A
# pattern like okk_* would do for the functions, but it would show our own objects as well, and a program's variable of
# the same name would then take the place of ours.
#
#   cmake -D OUTPUT=exports.map -D HEADERS=okk.h,bmlib_runtime.h [-D MORE=names] -P exports.cmake
include(${CMAKE_CURRENT_LIST_DIR}/../cmake/CDeclarations.cmake)

string(REPLACE "," ";" headers "${HEADERS}")
string(REPLACE "," ";" names "${MORE}")
foreach(header IN LISTS headers)
  tensorlane_c_declarations(declarations ${header})
  list(TRANSFORM declarations REPLACE "^(.*[ *])?([A-Za-z0-9_]+)\\(.*" "\\2")
  list(APPEND names ${declarations})
endforeach()
list(SORT names)
list(REMOVE_DUPLICATES names)
list(TRANSFORM names REPLACE "(.+)" "    \\1;" OUTPUT_VARIABLE lines)
string(REPLACE ";;" ";\n" lines "${lines}")
file(WRITE ${OUTPUT} "{\n  global:\n${lines}\n  local:\n    *;\n};\n")
