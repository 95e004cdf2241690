# penumbra_plugins(<target> <kind> <Interface> <folder>)
#
# Compiles every <folder>/<name>.cpp, each of which must define
#   extern const <Interface>Plugin <kind>_<name>
# and writes the table of them to <folder>.inc, which <kind>.cpp includes.
# The folder is the registry: a missing or misnamed entry is a link error.
function(penumbra_plugins target kind interface folder)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  set(declarations "")
  set(rows "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    string(APPEND declarations "extern const ${interface}Plugin ${kind}_${name};\n")
    string(APPEND rows "    {\"${name}\", &${kind}_${name}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${folder}.inc @ONLY
    CONTENT "// Generated from ${folder}/*.cpp by cmake/PenumbraPlugins.cmake.
namespace penumbra {
${declarations}
inline constexpr PluginRow<${interface}Plugin> k${interface}s[] = {
${rows}};
}  // namespace penumbra
")
  target_sources(${target} PRIVATE ${files})
  target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
endfunction()
