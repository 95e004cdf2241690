#include "penumbra/core/json.h"

#include "penumbra/core/error.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace penumbra {

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

Json parse_json(std::string_view text) {
  static constexpr int kDeepest = 64;
  const auto check = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest) fail("JSON is nested more than ", int{kDeepest}, " deep");
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::parse_error& error) {
    fail(error.what());
  }
}

}  // namespace penumbra
