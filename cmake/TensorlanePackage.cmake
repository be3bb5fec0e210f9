# What `cmake --install` lays down for programs that use TensorLane, beside the files of the components:
#
#   lib/cmake/tensorlane/   find_package(tensorlane [COMPONENTS layout ...])
#   lib/pkgconfig/          tensorlane.pc (the C++ library), tensorlane-okkernel.pc,
#                           tensorlane-tpukernel.pc, tensorlane-tpuv7.pc (the SDKs)
#
# All of it finds its files from its own place, so that the tree can be moved. Include this after every component.

include(CMakePackageConfigHelpers)

get_property(components GLOBAL PROPERTY TENSORLANE_COMPONENTS)

# tensorlane::tensorlane is all components with public headers at once.
add_library(tensorlane_all INTERFACE)
add_library(tensorlane::tensorlane ALIAS tensorlane_all)
set_target_properties(tensorlane_all PROPERTIES EXPORT_NAME tensorlane)
list(TRANSFORM components PREPEND tensorlane_ OUTPUT_VARIABLE component_targets)
target_link_libraries(tensorlane_all INTERFACE ${component_targets})
install(TARGETS tensorlane_all EXPORT tensorlaneTargets COMPONENT dev)

# What an install needs, without the tests: `cmake --build build/release --target installable`.
add_custom_target(installable)
add_dependencies(installable ${component_targets})
foreach(target bmlib bmlib_tpu tpuv7_rt bmlib_run tensorlane tensorlane_pages tensorlane_python tensorlane_share)
  if(TARGET ${target})
    add_dependencies(installable ${target})
  endif()
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tensorlane)
install(EXPORT tensorlaneTargets NAMESPACE tensorlane:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/tensorlaneConfig.cmake.in tensorlaneConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(tensorlaneConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/tensorlaneConfig.cmake ${PROJECT_BINARY_DIR}/tensorlaneConfigVersion.cmake
  DESTINATION ${package_dir})

# pkg-config: archives from the top component down, third-party libraries by their own .pc files where they have one.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH TENSORLANE_PC_PREFIX /prefix/${pc_dir} /prefix)
string(REGEX REPLACE "/$" "" TENSORLANE_PC_PREFIX ${TENSORLANE_PC_PREFIX})
set(TENSORLANE_PC_ARCHIVES "")
set(TENSORLANE_PC_REQUIRES "")
set(TENSORLANE_PC_LIBS "")
foreach(component IN LISTS components)
  string(PREPEND TENSORLANE_PC_ARCHIVES "-ltensorlane_${component} ")
  get_target_property(libraries tensorlane_${component} INTERFACE_LINK_LIBRARIES)
  foreach(library IN LISTS libraries)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" library "${library}")
    if(library MATCHES "^(fmt)::|^(TBB|tbb)::")
      string(TOLOWER "${CMAKE_MATCH_1}${CMAKE_MATCH_2}" module)
      list(APPEND TENSORLANE_PC_REQUIRES ${module})
    elseif(library MATCHES "^hwy::")
      list(APPEND TENSORLANE_PC_REQUIRES libhwy)
    elseif(library MATCHES "^ZLIB::")
      list(APPEND TENSORLANE_PC_REQUIRES zlib)
    elseif(library MATCHES "^OpenCL::")
      list(APPEND TENSORLANE_PC_REQUIRES OpenCL)
    elseif(library MATCHES "^(nlohmann_json|CLI11)::")
      list(APPEND TENSORLANE_PC_REQUIRES ${CMAKE_MATCH_1})
    elseif(library MATCHES "^Threads::")
      list(APPEND TENSORLANE_PC_LIBS -pthread)
    elseif(library MATCHES "^[a-z0-9]+$")
      list(APPEND TENSORLANE_PC_LIBS -l${library})
    endif()
  endforeach()
endforeach()
foreach(list TENSORLANE_PC_REQUIRES TENSORLANE_PC_LIBS)
  list(REMOVE_DUPLICATES ${list})
  list(JOIN ${list} " " ${list})
endforeach()
configure_file(cmake/tensorlane.pc.in tensorlane.pc @ONLY)
configure_file(cmake/tensorlane-okkernel.pc.in tensorlane-okkernel.pc @ONLY)
configure_file(cmake/tensorlane-tpukernel.pc.in tensorlane-tpukernel.pc @ONLY)
configure_file(cmake/tensorlane-tpuv7.pc.in tensorlane-tpuv7.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tensorlane.pc DESTINATION ${pc_dir} COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/tensorlane-okkernel.pc ${PROJECT_BINARY_DIR}/tensorlane-tpukernel.pc
  ${PROJECT_BINARY_DIR}/tensorlane-tpuv7.pc DESTINATION ${pc_dir})

# Takes away what the last `cmake --install` of this build tree laid down.
add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
  VERBATIM)
