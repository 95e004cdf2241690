#pragma once
#include <string_view>

namespace penumbra {

// The page before its data is filled in; empty where the program was built without it. Made from
// web/ by cmake/build_page.cmake.
std::string_view page_template();

}  // namespace penumbra
