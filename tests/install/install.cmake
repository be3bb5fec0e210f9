# Installs the build tree BUILD to one place and moves it to PREFIX, so that a path of the first place that had crept
# into the tree would be missed.
file(REMOVE_RECURSE ${PREFIX} ${PREFIX}.unmoved)
execute_process(
  COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}.unmoved
  OUTPUT_VARIABLE log COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${PREFIX}.unmoved ${PREFIX})
