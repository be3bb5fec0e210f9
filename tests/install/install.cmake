# Installs the build tree BUILD to one place and moves it to PREFIX, so that a path of the first place that had crept
# into the tree would be missed. Before that once more, to see that `uninstall` leaves nothing.
set(first "${PREFIX} before, 芯片") # a path that breaks what does not expect it
function(install_to prefix)
  execute_process(
    COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix "${prefix}"
    OUTPUT_VARIABLE log COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${PREFIX} "${first}")
install_to("${first}")
execute_process(
  COMMAND ${CMAKE_COMMAND} -D MANIFEST=${BUILD}/install_manifest.txt -P ${CMAKE_CURRENT_LIST_DIR}/../../cmake/uninstall.cmake
  OUTPUT_VARIABLE log COMMAND_ERROR_IS_FATAL ANY)
if(EXISTS "${first}")
  file(GLOB_RECURSE left "${first}/*")
  message(FATAL_ERROR "uninstall leaves ${left}")
endif()

install_to("${first}")
file(RENAME "${first}" ${PREFIX})

# The pages that the program writes lie among the others.
foreach(page docs/index.md docs/reference/okkernel/index.md docs/reference/tpukernel/bdc-nn.md docs/zh/reference/okkernel/index.md
             docs/gallery.md docs/zh/gallery/banks.svg)
  if(NOT EXISTS ${PREFIX}/share/doc/tensorlane/${page})
    message(FATAL_ERROR "an install has no ${page}")
  endif()
endforeach()

# `man tensorlane` in both languages.
foreach(page "man/man1/tensorlane-run.1;NAME" "man/zh_CN/man1/tensorlane-run.1;名称")
  list(POP_BACK page heading)
  file(READ ${PREFIX}/share/${page} text)
  if(NOT text MATCHES ".SH ${heading}\n")
    message(FATAL_ERROR "share/${page} has no heading ${heading}")
  endif()
endforeach()
