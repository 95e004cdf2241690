#include "penumbra/data/images.h"

namespace penumbra {

Names::Names(const std::vector<std::string>& names) {
  struct Block {
    std::vector<uint64_t> ends;
    std::string text;
  };
  auto block = std::make_shared<Block>();
  for (const auto& name : names) {
    block->text += name;
    block->ends.push_back(block->text.size());
  }
  ends_ = block->ends.data();
  size_ = block->ends.size();
  text_ = block->text.data();
  owner_ = std::move(block);
}

}  // namespace penumbra
