# cmake -DBUILD=<build tree> -DSOURCE=<this folder> -DWORK=<folder of our own> -P run.cmake
#
# Installs the build tree into a fresh prefix, moves that (an installed tree must not know
# where it was made), builds the consumer against it and runs both programs.
file(REMOVE_RECURSE ${WORK})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE output)
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer)
if(NOT output STREQUAL "40 training and 10 test images of 5 classes\n")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
run(${WORK}/prefix/bin/penumbra --version)
file(REMOVE_RECURSE ${WORK})
