#include "penumbra/method/method.h"

#include "penumbra/method/methods.inc"  // generated from methods/*.cpp

namespace penumbra {

std::unique_ptr<Method> make_method(std::string_view name, Options& options) {
  return make_plugin("method", kMethods, name, options);
}

std::vector<PartInfo> list_methods() { return list_plugins(kMethods); }

}  // namespace penumbra
