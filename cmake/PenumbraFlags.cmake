# Flags for all our targets.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_compile_options(-Wall -Wextra -Wshadow)
if(PENUMBRA_DEVELOPER_MODE)
  add_compile_options(-Werror)
endif()
if(PENUMBRA_NATIVE)
  add_compile_options(-march=native)
endif()

# Programs read files of strangers: executables at random addresses, checked memory and
# string functions, guarded stacks, a read-only table of imported functions. Not by
# CMAKE_POSITION_INDEPENDENT_CODE, which compiles library and programs differently, so that
# they could not share the precompiled header.
add_compile_options(-fPIE -fstack-protector-strong)
add_link_options(-pie -Wl,-z,relro,-z,now)

if(PENUMBRA_SANITIZE)
  # A finding ends the program: one that is only printed would be lost in a passing test.
  add_compile_options(-fsanitize=${PENUMBRA_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PENUMBRA_SANITIZE})
else()
  # Needs optimisation, and hides from the sanitizers what they look for.
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()

if(PENUMBRA_COVERAGE)
  # Some optimisation, or training takes ten times as long.
  add_compile_options(--coverage -O1)
  add_link_options(--coverage)
endif()
