# Debian packages: `scripts/package.sh` builds them with the preset "package" and cpack.
#
#   tensorlane          the command, the SDKs of both chips with libbmlib.so, manual pages, completions, pkg-config of the SDKs
#   libtensorlane-dev   headers and archives of the C++ library, its CMake package, tensorlane.pc
#   python3-tensorlane  the Python package, where it is built
#   tensorlane-doc      the pages and the examples
#
# They differ from `cmake --install` in nothing but the folder of the SDKs, which hold headers under the vendor's names.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tensorlane)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "TensorLane developers <tensorlane@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tools dev doc)
if(CMAKE_CROSSCOMPILING)
  # What is the same on every machine comes with the packages of the builder's.
  set(CPACK_COMPONENTS_ALL tools dev)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  endif()
endif()
if(TARGET tensorlane_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

function(tensorlane_debian component package section summary)
  cmake_parse_arguments(ARG "EVERY_MACHINE" "" "DEPENDS;RECOMMENDS;PARTS;TEXT" ${ARGN})
  string(TOUPPER ${component} part)
  list(JOIN ARG_DEPENDS ", " depends)
  list(JOIN ARG_RECOMMENDS ", " recommends)
  list(JOIN ARG_TEXT "\n" text)
  set(CPACK_DEBIAN_${part}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${part}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${part}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${part}_PACKAGE_RECOMMENDS "${recommends}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${part}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${part}_DEPENDS "${ARG_PARTS}" PARENT_SCOPE)
  if(ARG_EVERY_MACHINE)
    set(CPACK_DEBIAN_${part}_PACKAGE_ARCHITECTURE all PARENT_SCOPE)
  else()
    set(CPACK_DEBIAN_${part}_PACKAGE_SHLIBDEPS ON PARENT_SCOPE)
  endif()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} RENAME copyright)
endfunction()

tensorlane_debian(tools tensorlane devel "workbench for Sophon TPU kernels and tensor layouts"
  RECOMMENDS g++ pkg-config
  TEXT "Runs OKKernel programs of the BM1684 and TPUKernel programs of the BM1684X on any"
       "machine, checks and times them, and knows the layouts of both chips and of MACE.")
tensorlane_debian(dev libtensorlane-dev libdevel "tensor layouts of Sophon TPUs and MACE, C++ library"
  PARTS tools
  DEPENDS libfmt-dev libhwy-dev libtbb-dev nlohmann-json3-dev ocl-icd-opencl-dev opencl-clhpp-headers zlib1g-dev
  TEXT "Headers, archives, CMake package and pkg-config file.")
if(TARGET tensorlane_python)
  # Compiled modules come and go with the package.
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/cmake/debian/postinst ${PROJECT_SOURCE_DIR}/cmake/debian/prerm)
  tensorlane_debian(python python3-tensorlane python "workbench for Sophon TPU kernels, Python package"
  PARTS tools
  DEPENDS python3-numpy
  RECOMMENDS g++ python3-pytest python3-optuna python3-distributed
  TEXT "Compiles, launches, checks and times kernels from Python, with a pytest plug-in.")
endif()
tensorlane_debian(doc tensorlane-doc doc "workbench for Sophon TPU kernels, documentation"
  EVERY_MACHINE
  TEXT "The pages in English and Chinese, and the examples.")

set(doc_dir ${CMAKE_INSTALL_DATADIR}/doc/tensorlane)
install(FILES README.md README.zh.md CHANGELOG.md DESTINATION ${doc_dir} COMPONENT doc)
install(DIRECTORY examples DESTINATION ${doc_dir} COMPONENT doc)
# The pages as they are, with those that the program writes among them.
install(DIRECTORY docs/ ${PROJECT_BINARY_DIR}/pages/ DESTINATION ${doc_dir}/docs COMPONENT doc
  PATTERN theme EXCLUDE PATTERN style.css EXCLUDE PATTERN Doxyfile EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/build/site/ DESTINATION ${doc_dir}/html COMPONENT doc OPTIONAL)
include(CPack)
