include(CMakeFindDependencyMacro)
find_dependency(Torch)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(tomlplusplus)
include(${CMAKE_CURRENT_LIST_DIR}/penumbraTargets.cmake)
# Not in the exported targets, which would then name files of the machine that built them.
target_link_libraries(penumbra::penumbra INTERFACE ${TORCH_LIBRARIES})
