# What `cmake --install` adds so that `find_package(lidia)` works elsewhere.

include(CMakePackageConfigHelpers)
set(LIDIA_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/lidia")

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/lidia-config.cmake.in"
  "${CMAKE_CURRENT_BINARY_DIR}/lidia-config.cmake"
  INSTALL_DESTINATION "${LIDIA_CMAKE_DIR}")
write_basic_package_version_file(
  "${CMAKE_CURRENT_BINARY_DIR}/lidia-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/lidia-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/lidia-config-version.cmake"
  DESTINATION "${LIDIA_CMAKE_DIR}")
install(EXPORT LidiaTargets NAMESPACE lidia:: DESTINATION "${LIDIA_CMAKE_DIR}")
