#include "penumbra/report/page.h"

#include "penumbra/core/error.h"
#include "penumbra/report/page_template.h"

namespace penumbra {

bool has_report_page() { return !page_template().empty(); }

std::string report_page(const Json& report) {
  std::string page(page_template());
  if (!has_report_page())
    fail("this program was built without its page: build it where npm is installed");
  constexpr std::string_view kPlace = "PENUMBRA_DATA";
  const auto at = page.find(kPlace);
  if (at == std::string::npos) fail("the page has no place for its data");
  // "</script>" in a file's name must not end the data.
  std::string data;
  for (const char letter : json_text(report))
    letter == '<' ? data.append("\\u003c") : data.append(1, letter);
  return page.replace(at, kPlace.size(), data);
}

}  // namespace penumbra
