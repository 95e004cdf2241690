# penumbra_plugins(<target> <kind> <Interface> <folder>)
#
# Compiles every <folder>/<name>.cpp, each of which must define
#   extern const <Interface>Plugin <kind>_<name>
# and writes the table of them to <folder>.inc, which <kind>.cpp includes.
# The folder is the registry: a missing or misnamed entry is a link error. The comment at the top of
# a file is what `penumbra list` and docs/methods.md say of it.
function(penumbra_plugins target kind interface folder)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  set(declarations "")
  set(rows "")
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME_WE)
    string(APPEND declarations "extern const ${interface}Plugin ${kind}_${name};\n")
    file(READ ${file} text)
    string(REGEX MATCH "^(//[^\n]*\n)+" about "${text}")
    string(REGEX REPLACE "(^|\n)// ?" "\\1" about "${about}")
    string(APPEND rows "    {\"${name}\", R\"about(${about})about\", &${kind}_${name}},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
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
