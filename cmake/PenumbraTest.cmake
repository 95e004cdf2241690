# penumbra_test(<stage> [libraries]): one GoogleTest program for tests/<stage>/*_test.cpp, one CTest entry,
# since loading libtorch costs half a second per process.
function(penumbra_test stage)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${stage}/*_test.cpp)
  add_executable(penumbra_${stage}_test ${files})
  target_link_libraries(penumbra_${stage}_test PRIVATE penumbra::penumbra GTest::gmock GTest::gtest_main ${ARGN})
  target_precompile_headers(penumbra_${stage}_test REUSE_FROM penumbra_precompiled)
  target_include_directories(penumbra_${stage}_test PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(penumbra_${stage}_test PRIVATE
    PENUMBRA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${stage} COMMAND penumbra_${stage}_test)
endfunction()
