# cmake -DSOURCE=web -DWORK=<folder> -DNPM=<npm> -DOUTPUT=<file.cpp> -P build_page.cmake
#
# Builds the report's page with npm and writes it as a C++ file. Without npm, or without the network
# that it needs once, the page is empty, the rest of the program is whole, and a line says so.
set(page "")
if(NPM)
  file(COPY ${SOURCE}/ DESTINATION ${WORK}
    PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE PATTERN tests EXCLUDE)
  set(result 0)
  if(NOT EXISTS ${WORK}/node_modules/.package-lock.json
     OR ${WORK}/package-lock.json IS_NEWER_THAN ${WORK}/node_modules/.package-lock.json)
    execute_process(COMMAND ${NPM} ci --no-audit --no-fund --loglevel=error
      WORKING_DIRECTORY ${WORK} RESULT_VARIABLE result OUTPUT_QUIET)
  endif()
  if(result EQUAL 0)
    execute_process(COMMAND ${NPM} run build --silent
      WORKING_DIRECTORY ${WORK} RESULT_VARIABLE built OUTPUT_QUIET)
    if(NOT built EQUAL 0)
      message(FATAL_ERROR "the report's page in web/ does not build")
    endif()
    file(READ ${WORK}/dist/report.html page HEX)
  endif()
endif()
if(page STREQUAL "")
  message("penumbra report will have no page: npm is missing, or could not fetch its packages")
endif()
string(REGEX REPLACE "(..)" "0x\\1," bytes "${page}")
file(WRITE ${OUTPUT} "// Generated from web/ by cmake/build_page.cmake.
#include \"penumbra/report/page_template.h\"

namespace penumbra {
namespace {
constexpr unsigned char kPage[] = {${bytes}0};
}  // namespace

std::string_view page_template() {
  return {reinterpret_cast<const char*>(kPage), sizeof kPage - 1};
}
}  // namespace penumbra
")
# What failed where npm is there may work the next time: an old file is made again.
if(NPM AND page STREQUAL "")
  execute_process(COMMAND touch -d @0 ${OUTPUT})
endif()
