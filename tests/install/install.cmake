# Installs the build tree BUILD to one place and moves it to PREFIX, so that a path of the first place that had crept
# into the tree would be missed. Before that once more, to see that `uninstall` leaves nothing.
function(install_to prefix)
  execute_process(
    COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix}
    OUTPUT_VARIABLE log COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${PREFIX} ${PREFIX}.unmoved)
install_to(${PREFIX}.unmoved)
execute_process(
  COMMAND ${CMAKE_COMMAND} -D MANIFEST=${BUILD}/install_manifest.txt -P ${CMAKE_CURRENT_LIST_DIR}/../../cmake/uninstall.cmake
  OUTPUT_VARIABLE log COMMAND_ERROR_IS_FATAL ANY)
if(EXISTS ${PREFIX}.unmoved)
  file(GLOB_RECURSE left ${PREFIX}.unmoved/*)
  message(FATAL_ERROR "uninstall leaves ${left}")
endif()

install_to(${PREFIX}.unmoved)
file(RENAME ${PREFIX}.unmoved ${PREFIX})
