#include "penumbra/core/json.h"

#include <array>

#include "penumbra/core/error.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace penumbra {

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

Json parse_json(std::string_view text) {
  static constexpr int kDeepest = 64, kMostKeys = 10000;
  std::array<int, kDeepest + 2> keys{};  // of the object at each depth: one below its brace
  const auto check = [&keys](int depth, Json::parse_event_t event, Json&) {
    if (depth > kDeepest) fail("JSON is nested more than ", int{kDeepest}, " deep");
    auto* of_object = &keys[static_cast<std::size_t>(depth)];
    if (event == Json::parse_event_t::object_start) of_object[1] = 0;
    if (event == Json::parse_event_t::key && ++*of_object > kMostKeys)
      fail("an object of JSON has more than ", int{kMostKeys}, " keys");
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const Json::exception& error) {  // numbers without end are no parse_error
    fail(error.what());
  }
}

std::optional<Json> parse_json_line(std::string_view line) {
  try {
    if (auto value = parse_json(line); value.is_object()) return value;
  } catch (const Error&) {
    return {};
  }
  return {};
}

}  // namespace penumbra
