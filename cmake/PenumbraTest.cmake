# libtorch's and GoogleTest's headers for all test programs. Tests are many and run once, so
# they are compiled with little optimisation: half the time of -O3.
file(CONFIGURE OUTPUT precompiled_test.cpp CONTENT "")
add_library(penumbra_precompiled_test OBJECT ${CMAKE_CURRENT_BINARY_DIR}/precompiled_test.cpp)
target_compile_features(penumbra_precompiled_test PRIVATE cxx_std_17)
target_compile_options(penumbra_precompiled_test PRIVATE -O1)
target_link_libraries(penumbra_precompiled_test PRIVATE ${TORCH_LIBRARIES} GTest::gmock)
target_precompile_headers(penumbra_precompiled_test PRIVATE
  <torch/types.h> <torch/nn/module.h> <gmock/gmock.h>)

# penumbra_test(<stage> [libraries]): one GoogleTest program for tests/<stage>/*_test.cpp and one
# CTest entry, since loading libtorch costs half a second per process.
function(penumbra_test stage)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${stage}/*_test.cpp)
  add_executable(penumbra_${stage}_test ${files})
  target_compile_options(penumbra_${stage}_test PRIVATE -O1)
  target_link_libraries(penumbra_${stage}_test PRIVATE
    penumbra::penumbra GTest::gmock GTest::gtest_main ${ARGN})
  target_precompile_headers(penumbra_${stage}_test REUSE_FROM penumbra_precompiled_test)
  target_include_directories(penumbra_${stage}_test PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(penumbra_${stage}_test PRIVATE
    PENUMBRA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  penumbra_unity(penumbra_${stage}_test)
  if(PENUMBRA_SANITIZE STREQUAL "thread")
    set(openmp ${PROJECT_SOURCE_DIR}/tests/openmp_for_tsan.cpp)
    target_sources(penumbra_${stage}_test PRIVATE ${openmp})
    set_source_files_properties(${openmp} PROPERTIES
      SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  add_test(NAME ${stage} COMMAND penumbra_${stage}_test)
endfunction()
