#include "penumbra/core/json.h"

template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace penumbra {

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace penumbra
