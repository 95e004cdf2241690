# The library as a CMake package, and the command.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/penumbra)
install(TARGETS penumbra EXPORT penumbraTargets FILE_SET HEADERS)
install(TARGETS penumbra_app)
install(EXPORT penumbraTargets NAMESPACE penumbra:: DESTINATION ${destination})
write_basic_package_version_file(penumbraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/penumbraConfig.cmake ${PROJECT_BINARY_DIR}/penumbraConfigVersion.cmake
        DESTINATION ${destination})
