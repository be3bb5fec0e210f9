# tensorlane_c_declarations(OUT HEADER): the functions that a C header declares, each as "result name(parameters)".
#
# Headers are read as they are, all branches of their #if. What they define inline is left out. Pointers to functions and
# attributes are no part of a declaration.
function(tensorlane_c_declarations out header)
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
  string(REGEX MATCHALL "[A-Za-z_][A-Za-z0-9_* \n]*\\([^()@%]*\\)[A-Za-z_ \n]*@" declarations "${text}")
  if(NOT declarations)
    message(FATAL_ERROR "${header} declares no function")
  endif()
  list(TRANSFORM declarations REPLACE "\\)[^)]*$" ")")
  list(TRANSFORM declarations REPLACE "[ \n]+" " ")
  set(${out} "${declarations}" PARENT_SCOPE)
endfunction()
