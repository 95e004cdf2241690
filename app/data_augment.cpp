// penumbra data augment: a sheet of pictures beside their weak and strong views, so that a
// person sees what training sees.

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "app/command.h"
#include "app/data_options.h"
#include "app/progress.h"
#include "penumbra/augment/contact_sheet.h"
#include "penumbra/core/error.h"
#include "penumbra/data/picture.h"

namespace penumbra::app {
namespace {

struct AugmentOptions {
  DataOptions data;
  std::string policy = "randaugment", output;
  int64_t pictures = 8;
  ContactSheet sheet;
};

Picture to_picture(const torch::Tensor& page) {
  Picture picture;
  picture.height = static_cast<int>(page.size(0));
  picture.width = static_cast<int>(page.size(1));
  picture.channels = static_cast<int>(page.size(2));
  picture.pixels.assign(page.data_ptr<uint8_t>(), page.data_ptr<uint8_t>() + page.numel());
  return picture;
}

int draw_sheet(const AugmentOptions& options) {
  const auto config = options.data.config({"data", "augment"});
  const auto opened = options.data.open(config);
  auto reading = options.data.reading(opened);
  Progress progress("reading", "pictures");
  reading.progress = [&](int64_t done, int64_t total) { progress.update(done, total); };
  const auto images = opened.dataset->train(reading);
  auto augment = config.section("augment");
  const auto policies = make_policies(options.policy, augment, opened.dataset->mirrors());

  auto sheet = options.sheet;
  const auto count = std::min(options.pictures, images.size());
  for (int64_t i = 0; i < count; ++i) sheet.pictures.push_back(i * images.size() / count);
  const auto page = draw(sheet, images, policies);
  if (page.size(2) != 1 && page.size(2) != 3)
    fail("pictures of ", page.size(2), " channels cannot be drawn: expected 1 or 3");
  encode_png(options.output, to_picture(page));
  std::cout << fmt::format("{}: {} pictures; left the original, then {} weak and {} strong views\n",
                           options.output, count, sheet.weak, sheet.strong);
  for (const auto& option : augment.described())
    std::cout << fmt::format("augment.{} = {}\n", option.key, option.value);
  return 0;
}

}  // namespace

void add_data_augment(CLI::App& data, Action& action) {
  auto* command =
      data.add_subcommand("augment", "Draw pictures beside their weak and strong views");
  auto options = std::make_shared<AugmentOptions>();
  options->data.add_to(*command);
  command->add_option("-o,--output", options->output, "PNG file to write")->required();
  command->add_option("--policy", options->policy, "policy of the strong views")
      ->capture_default_str();
  command->add_option("--pictures", options->pictures, "rows")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--weak", options->sheet.weak, "weak views of each")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command->add_option("--strong", options->sheet.strong, "strong views of each")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  command->add_option("--seed", options->sheet.seed, "of the views")->capture_default_str();
  command->footer(
      "Example:  penumbra data augment cifar10 -o sheet.png --set augment.dialect=usb\n"
      "'penumbra list policy randaugment' shows what can be set.");
  command->callback([=, &action] { action = [=] { return draw_sheet(*options); }; });
}

}  // namespace penumbra::app
