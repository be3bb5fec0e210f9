# Writes what TL_OP(function) knows of a function from the C header that declares it (src/tensorlane/ops/define_op.h):
#
#   #define TL_SIGNATURE_okk_relu void, okk_relu, (local_addr_t, dst_addr), (const dim4*, shape)
#
#   cmake -D OUTPUT=signatures.h -D HEADERS=okk.h -P signatures.cmake
include(${CMAKE_CURRENT_LIST_DIR}/CDeclarations.cmake)

string(REPLACE "," ";" headers "${HEADERS}")
set(text "// Made by the build from the public headers.\n")
foreach(header IN LISTS headers)
  tensorlane_c_declarations(declarations ${header})
  foreach(declaration IN LISTS declarations)
    string(REGEX MATCH "^(.*[ *])([A-Za-z0-9_]+)\\((.*)\\)$" matched "${declaration}")
    set(result "${CMAKE_MATCH_1}")
    set(name "${CMAKE_MATCH_2}")
    set(parameters "${CMAKE_MATCH_3},")
    if(name MATCHES "__") # the C library's, which have no entries
      continue()
    endif()
    if(parameters MATCHES "^(void)?,$")
      set(parameters "")
    endif()
    string(REGEX REPLACE "([^,]*[ *])([A-Za-z0-9_]+)," ", (\\1, \\2)" parameters "${parameters}")
    string(APPEND text "#define TL_SIGNATURE_${name} ${result}, ${name}${parameters}\n")
  endforeach()
endforeach()
string(REGEX REPLACE " ?, ?" ", " text "${text}")
string(REPLACE "( " "(" text "${text}")
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "${text}" @ONLY) # which leaves a file alone that says so already
