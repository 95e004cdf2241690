#pragma once
#include <string>

#include "penumbra/core/json.h"

namespace penumbra {

// False where the program was built without npm.
bool has_report_page();

// The page as one HTML file that needs nothing else. Throws Error where the program was built
// without it.
std::string report_page(const Json& report);

}  // namespace penumbra
