#include "penumbra/core/plugin.h"

#include "tests/expect_error.h"

namespace penumbra {
namespace {

class Animal {
 public:
  virtual ~Animal() = default;
  virtual std::string says() const = 0;
};

class Dog final : public Animal {
 public:
  explicit Dog(Options& options) { options.read("times", times_, {1, 3}, "barks in a row"); }
  std::string says() const override {
    std::string said;
    for (int64_t i = 0; i < times_; ++i) said += "woof";
    return said;
  }

 private:
  int64_t times_ = 1;
};

class Fish final : public Animal {
 public:
  explicit Fish(Options&) {}
  std::string says() const override { return ""; }
};

constexpr Plugin<Animal> kDog = plugin<Animal, Dog>("barks");
constexpr Plugin<Animal> kFish = plugin<Animal, Fish>("swims");
constexpr PluginRow<Plugin<Animal>> kAnimals[] = {{"dog", "A dog.", &kDog},
                                                  {"fish", "A fish.", &kFish}};

TEST(Plugin, IsMadeByItsNameWithItsOptions) {
  Options twice{{"times", "2"}}, none;
  EXPECT_EQ(make_plugin("animal", kAnimals, "dog", twice)->says(), "woofwoof");
  EXPECT_EQ(make_plugin("animal", kAnimals, "dog", none)->says(), "woof");
  ASSERT_EQ(twice.described().size(), 1U);  // for the listing
  EXPECT_EQ(twice.described()[0].value, "2");
}

TEST(Plugin, AnUnknownNameListsThoseThatThereAre) {
  Options none;
  EXPECT_EQ(error_of([&] { make_plugin("animal", kAnimals, "dgo", none); }),
            "no animal 'dgo'; there are: dog fish");
}

TEST(Plugin, AnOptionThatItDoesNotReadIsAnError) {
  Options misspelt{{"tmies", "2"}}, needless{{"times", "2"}}, wrong{{"times", "9"}};
  EXPECT_EQ(error_of([&] { make_plugin("animal", kAnimals, "dog", misspelt); }),
            "animal 'dog' does not know 'tmies'; it knows 'times'");
  EXPECT_EQ(error_of([&] { make_plugin("animal", kAnimals, "fish", needless); }),
            "animal 'fish' does not know 'times'; it has no options");
  EXPECT_EQ(error_of([&] { make_plugin("animal", kAnimals, "dog", wrong); }),
            "option 'times' is '9': expected a whole number from 1 to 3");
}

TEST(Plugin, AreListedWithWhatTheySayOfThemselves) {
  const auto parts = list_plugins(kAnimals);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].name, "dog");
  EXPECT_EQ(parts[0].summary, "barks");
  EXPECT_EQ(parts[1].about, "A fish.");
}

}  // namespace
}  // namespace penumbra
