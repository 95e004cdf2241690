// Every operation against PIL's results on real pictures (tests/golden/make_augment.py).
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "penumbra/augment/operation.h"
#include "penumbra/core/file.h"
#include "penumbra/core/json.h"

namespace penumbra {
namespace {

class Golden : public testing::Test {
 protected:
  Golden()
      : index_(Json::parse(read_file(PENUMBRA_SOURCE_DIR "/tests/golden/augment.json"))),
        bytes_(read_file(PENUMBRA_SOURCE_DIR "/tests/golden/augment.bin")) {
    for (const auto& picture : index_["pictures"]) pictures_[picture["name"]] = picture;
  }

  const uint8_t* at(const Json& item) const {
    return reinterpret_cast<const uint8_t*>(bytes_.data()) + item["offset"].get<std::size_t>();
  }

  static Operation operation_called(const std::string& name) {
    for (int i = 0; i <= static_cast<int>(Operation::kTranslateY); ++i)
      if (name_of(static_cast<Operation>(i)) == name) return static_cast<Operation>(i);
    throw std::runtime_error(name);
  }

  Json index_;
  std::string bytes_;
  std::map<std::string, Json> pictures_;
};

TEST_F(Golden, EveryOperationIsWithinOneGreyLevelOfPil) {
  std::map<std::string, int> not_exact;
  for (const auto& item : index_["cases"]) {
    const auto& picture = pictures_.at(item["picture"]);
    Canvas canvas({picture["height"], picture["width"], picture["channels"]});
    canvas.load(at(picture));
    Action action;
    action.operation = operation_called(item["operation"]);
    action.value = item["value"];
    action.choice = item["choice"];
    if (item["interpolation"] == "bilinear") action.interpolation = Interpolation::kBilinear;
    apply(canvas, action);
    const uint8_t* expected = at(item);
    int worst = 0;
    for (int i = 0; i < canvas.shape().size(); ++i) {
      const int difference = std::abs(canvas.front()[i] - expected[i]);
      worst = std::max(worst, difference);
      if (difference > 0)
        ++not_exact[item["operation"].get<std::string>() + " " +
                    item["interpolation"].get<std::string>()];
    }
    EXPECT_LE(worst, 1) << item;
  }
  // Only fixed-point interpolation differs from PIL at all.
  for (const auto& [name, count] : not_exact)
    EXPECT_NE(name.find("bilinear"), std::string::npos) << name << ": " << count << " values";
}

TEST_F(Golden, CoversEveryOperationButCutoutWhichHasNoneInPil) {
  std::set<std::string> covered;
  for (const auto& item : index_["cases"]) covered.insert(item["operation"]);
  for (int i = 0; i <= static_cast<int>(Operation::kTranslateY); ++i) {
    const auto name = std::string(name_of(static_cast<Operation>(i)));
    EXPECT_EQ(covered.count(name), name == "cutout" ? 0u : 1u) << name;
  }
}

}  // namespace
}  // namespace penumbra
