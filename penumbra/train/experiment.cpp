#include "penumbra/train/experiment.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "penumbra/augment/statistics.h"
#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/data/split_file.h"
#include "penumbra/train/fingerprint.h"
#include "penumbra/train/presets.h"

namespace penumbra {
namespace {

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  std::istringstream stream(text);
  for (std::string item; std::getline(stream, item, ',');)
    if (!item.empty()) items.push_back(item);
  return items;
}

// Labels of the classes that are kept, renumbered; all others become kUnlabelled.
torch::Tensor renumber(const torch::Tensor& labels, const std::vector<std::string>& all,
                       const std::vector<std::string>& kept) {
  auto renumbered = torch::full_like(labels, kUnlabelled);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    const auto found = std::find(all.begin(), all.end(), kept[k]);
    if (found == all.end())
      fail("no class '", kept[k], "'; there are: ", fmt::format("{}", fmt::join(all, ", ")));
    renumbered.masked_fill_(labels == static_cast<int64_t>(found - all.begin()),
                            static_cast<int64_t>(k));
  }
  return renumbered;
}

Images labelled_only(const Images& images) {
  const auto kept = (images.labels != kUnlabelled).nonzero().flatten();
  if (kept.size(0) == images.size()) return images;
  Images part;
  part.pixels = images.pixels.index_select(0, kept);
  part.labels = images.labels.index_select(0, kept);
  std::vector<std::string> names;
  for (int64_t i = 0; i < kept.size(0); ++i)
    names.push_back(name_of(images, kept[i].item<int64_t>()));
  part.files = Names(names);
  return part;
}

// Only these classes are known: pictures of others stay in the pool, and judge nothing.
void keep_classes(Experiment& experiment, Images& train, const std::vector<std::string>& all) {
  train.labels = renumber(train.labels, all, experiment.classes);
  for (auto* images : {&experiment.validation, &experiment.test}) {
    images->labels = renumber(images->labels, all, experiment.classes);
    *images = labelled_only(*images);
  }
}

// A split finds pictures by their names, so that it holds when some are added.
Names with_names_of(const Images& train, const Images& pool) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(train.size() + pool.size()));
  for (int64_t i = 0; i < train.size(); ++i) names.push_back(name_of(train, i));
  for (int64_t i = 0; i < pool.size(); ++i) names.push_back("pool:" + name_of(pool, i));
  return Names(names);
}

// Further unlabelled pictures behind the training set's.
OpenedDataset append_pool(Images& train, const RunOptions& run, const Config& config,
                          const std::filesystem::path& root, Reading& reading) {
  auto options = config.section("pool");
  auto opened = open_dataset(run.pool, root, options);
  if (opened.name == "folder") {
    // Nobody asks for their classes, and they are made what the others are.
    options.set_default("labels", "none");
    if (train.height() == train.width())
      options.set_default("size", std::to_string(train.height()));
    if (train.channels() == 1) options.set_default("channels", "1");
    opened = open_dataset(run.pool, root, options);
  }
  if (std::error_code none; std::filesystem::equivalent(run.pool, run.data, none))
    fail("the pool '", run.pool, "' is the data itself: expected other pictures; what of the data ",
         "has no label is learnt from without --pool");
  reading.remedy = remedy_of(opened);
  const auto pool = opened.dataset->train(reading);
  if (pool.size() == 0 || pool.pixels[0].sizes() != train.pixels[0].sizes())
    fail("the pool '", run.pool, "' has pictures of ", pool.height(), " x ", pool.width(), " x ",
         pool.channels(), ": expected ", train.height(), " x ", train.width(), " x ",
         train.channels(), " as in the data; --set pool.size=", train.height(),
         " resizes a folder");
  if (!train.files.empty()) train.files = with_names_of(train, pool);
  train.pixels = torch::cat({train.pixels, pool.pixels});
  train.labels = torch::cat({train.labels, torch::full({pool.size()}, kUnlabelled, torch::kLong)});
  return opened;
}

InputShape shape_of(const Images& images) {
  return {images.channels(), images.height(), images.width()};
}

// So many pictures of the pool are enough for statistics of their pixels.
constexpr int64_t kFitted = 2000;

// A backbone may look at pictures before it is trained. Labels play no part in it.
void fit_backbone(Backbone& backbone, const Source& source, const Images& images) {
  const auto& pool = source.unlabelled.empty() ? source.labelled : source.unlabelled;
  backbone.fit(normalised(images, evenly(pool, kFitted), source.normalisation));
}

// The network with the heads that the method asks for, on the device that the run asks for.
std::shared_ptr<Classifier> make_student(const Experiment& experiment, const Images& train,
                                         Options& options) {
  auto generator = make_generator(experiment.training.seed);
  const auto backbone = make_backbone(experiment.run.backbone, shape_of(train), options, generator);
  fit_backbone(*backbone, experiment.training.source, train);
  const auto classes = static_cast<int64_t>(experiment.classes.size());
  auto student = std::make_shared<Classifier>(
      backbone, classes, experiment.method->heads(backbone->feature_size(), classes), generator);
  student->use_channels_last();
  student->to(choose_device(experiment.run));
  return student;
}

// What the files of the run's models say of them.
ModelInfo describe_model(const Experiment& experiment, const OpenedDataset& opened,
                         const std::vector<OptionInfo>& options) {
  const auto& source = experiment.training.source;
  ModelInfo model;
  model.backbone = experiment.run.backbone;
  model.options = options;
  model.input = shape_of(source.images);
  for (const auto& option : opened.options)
    if (option.key == "fit") model.fit = option.value;
  model.classes = experiment.classes;
  model.normalisation = source.normalisation;
  model.mirror = choose_mirror(experiment.run, source.policies.weak->mirrors());
  return model;
}

// The choices of the run with what `auto` came to and where its pictures are: a run that goes on
// elsewhere computes as it began.
std::vector<OptionInfo> settle(std::vector<OptionInfo> settings, const Experiment& experiment,
                               const OpenedDataset& data, const OpenedDataset& pool) {
  const auto& training = experiment.training;
  for (auto& option : settings) {
    if (option.key == "precision") option.value = to_string(training.precision);
    if (option.key == "kernels") option.value = to_string(training.kernels);
    if (option.key == "mirror") option.value = experiment.model.mirror ? "true" : "false";
    if (option.key == "data") option.value = data.place;
    if (option.key == "pool") option.value = pool.place;
    if ((option.key == "split" || option.key == "init") && !option.value.empty())
      option.value = lasting_path(option.value);
  }
  return settings;
}

// `own` images are the data's, those behind them the pool's.
void make_split_of(Experiment& experiment, const Images& train, int64_t own) {
  const auto& run = experiment.run;
  if (!run.split.empty()) {
    experiment.split = read_split(run.split, train);
    const auto& unlabelled = experiment.split.unlabelled;
    if (!run.pool.empty() && (unlabelled.empty() || unlabelled.back() < own))
      fail("the split ", run.split, " has no picture of the pool ", run.pool,
           ": expected one of a run with this pool, or no --pool");
    return;
  }
  SplitRequest request;
  request.labels = run.labels;
  request.validation = experiment.validation.size() > 0 ? 0 : run.validation;
  request.own_pictures = experiment.own_pictures;
  request.hold_out_test = experiment.own_pictures && experiment.test.size() == 0;
  request.labelled_too = run.unlabelled == "all";
  request.seed = static_cast<uint64_t>(run.seed);
  experiment.split = make_split(train.labels, experiment.classes, request);
  const auto& split = experiment.split;
  if (request.hold_out_test)
    experiment.notes.push_back(fmt::format(
        "the data has no test set: {} labelled pictures are held out as one", split.test.size()));
  if (experiment.validation.size() == 0 && split.validation.empty())
    experiment.notes.push_back(
        "too few labels for a validation set (two per class): the last model is taken; to judge "
        "it, train with several --seed values and compare");
}

}  // namespace

Experiment assemble(Config config, const std::filesystem::path& root, Reading& reading) {
  auto run_section = config.section("run");
  RunOptions first(run_section);
  auto opened = open_dataset(first.data, root, config.section("data"));
  const auto& dataset = *opened.dataset;
  reading.remedy = remedy_of(opened);
  const auto all_classes = dataset.classes(reading);
  auto train = dataset.train(reading);

  const auto minutes = config.has("run.minutes") ? std::optional(first.minutes) : std::nullopt;
  PresetFacts facts{first.preset,
                    first.method,
                    opened.name,
                    first.backbone,
                    first.policy,
                    shape_of(train),
                    static_cast<int64_t>(all_classes.size()),
                    minutes};
  if (const auto cores = choose_cores(first, minutes)) {
    facts.cores = *cores;
    config.set("run.cores", fmt::format("{}", *cores), "this machine");
  }
  for (const auto& setting : preset_settings(facts))
    config.set_default(setting.name, setting.value, "preset " + first.preset);
  config.reject_unknown_sections(
      {"run", "data", "pool", "augment", "model", "method", "train", "uncertainty"});

  auto run = config.section("run");
  Experiment experiment{RunOptions(run)};
  run.reject_unknown("a run");
  const auto& choices = experiment.run;
  experiment.notes = slow_choices(choices);
  experiment.classes = choices.classes.empty() ? all_classes : split_list(choices.classes);
  experiment.validation = dataset.validation(reading);
  experiment.test = dataset.test(reading);
  // A folder may be a benchmark, too: Mini-ImageNet.
  const bool benchmark = choices.preset == "paper" && experiment.test.size() > 0;
  experiment.own_pictures = opened.name == "folder" && !benchmark;
  if (!choices.classes.empty()) keep_classes(experiment, train, all_classes);
  const auto own = train.size();
  OpenedDataset pool;
  if (!choices.pool.empty())
    pool = append_pool(train, choices, config, root, reading);
  else
    config.section("pool").reject_unknown("a run without --pool");
  make_split_of(experiment, train, own);

  auto augment = config.section("augment"), model = config.section("model"),
       method = config.section("method"), training = config.section("train");
  auto& parts = experiment.training;
  experiment.method = make_method(choices.method, method);
  parts.method = experiment.method.get();
  parts.source.policies = make_policies(choices.policy, augment, dataset.mirrors());
  parts.source.normalisation = normalisation_of(train, reading.threads);
  parts.source.views = parts.method->views();
  parts.source.labelled = experiment.split.labelled;
  parts.source.unlabelled = experiment.split.unlabelled;
  parts.options = TrainOptions(training);
  training.reject_unknown("training");
  parts.seed = static_cast<uint64_t>(choices.seed);
  parts.precision = choose_precision(choices);
  parts.kernels = choose_kernels(choices);

  auto uncertainty = config.section("uncertainty");
  for (const auto& option : method.described())
    if (option.key == "variance" && option.value != "none")
      uncertainty.set_default("variance_head", option.value);
  experiment.judge = JudgeOptions(uncertainty);

  parts.student = make_student(experiment, train, model);
  parts.source.images = std::move(train);
  experiment.model = describe_model(experiment, opened, model.described());
  parts.student->set_mirrors(experiment.model.mirror);
  experiment.effective = {{"run", settle(run.described(), experiment, opened, pool)},
                          {"data", opened.options},
                          {"augment", augment.described()},
                          {"model", model.described()},
                          {"method", method.described()},
                          {"train", training.described()},
                          {"uncertainty", uncertainty.described()}};
  if (!choices.pool.empty()) experiment.effective.emplace_back("pool", pool.options);
  experiment.fingerprint = fingerprint_of(experiment);
  return experiment;
}

void set_effective(Experiment& experiment, const std::string& name, const std::string& value) {
  for (auto& [section, settings] : experiment.effective)
    for (auto& setting : settings)
      if (section + "." + setting.key == name) setting.value = value;
}

void set_steps(Experiment& experiment, int64_t steps) {
  experiment.training.options.set_steps(steps);
  set_effective(experiment, "train.steps", std::to_string(steps));
}

}  // namespace penumbra
