# Files that `cmake --install` adds so that `find_package(lidia)` works
# elsewhere.

include(CMakePackageConfigHelpers)
set(LIDIA_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/lidia")

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/lidia-config.cmake.in"
  "${CMAKE_CURRENT_BINARY_DIR}/lidia-config.cmake"
  INSTALL_DESTINATION "${LIDIA_CMAKE_DIR}" PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(
  "${CMAKE_CURRENT_BINARY_DIR}/lidia-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/lidia-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/lidia-config-version.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/LidiaAddArchive.cmake"
  DESTINATION "${LIDIA_CMAKE_DIR}" COMPONENT interface)
install(EXPORT LidiaCTargets NAMESPACE lidia::
  DESTINATION "${LIDIA_CMAKE_DIR}" COMPONENT interface)
install(EXPORT LidiaTargets NAMESPACE lidia::
  DESTINATION "${LIDIA_CMAKE_DIR}" COMPONENT development)

add_custom_target(uninstall
  COMMAND "${CMAKE_COMMAND}"
    "-DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt"
    -P "${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake"
  COMMENT "Removing what was installed last"
  VERBATIM)
