#include "penumbra/augment/loader.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/conv.h>
#include <torch/types.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "penumbra/augment/view.h"
#include "penumbra/core/error.h"
#include "penumbra/data/dataset.h"

namespace penumbra {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Policies policies(std::string_view strong, Options options = {}) {
  return make_policies(strong, options, /*mirrors=*/true);
}

// 40 labelled and 160 unlabelled pictures.
Source source(Views views, std::string_view strong = "randaugment", int64_t channels = 3) {
  Options options{{"count", "200"}, {"size", "16"}, {"channels", std::to_string(channels)}};
  Reading reading;
  Source made;
  made.images = make_dataset("blobs", options)->train(reading);
  made.labelled.resize(40);
  std::iota(made.labelled.begin(), made.labelled.end(), 0);
  made.unlabelled.resize(160);
  std::iota(made.unlabelled.begin(), made.unlabelled.end(), 40);
  made.views = views;
  made.policies = policies(strong);
  made.normalisation.mean.assign(static_cast<std::size_t>(channels), 0.5f);
  made.normalisation.std.assign(static_cast<std::size_t>(channels), 0.25f);
  return made;
}

constexpr Views kViews{/*weak=*/2, /*strong=*/3, /*ratio=*/2.5};

LoaderOptions options(int threads, int64_t first_step = 0, int64_t ahead = 2) {
  LoaderOptions made;
  made.batch_size = 12;
  made.seed = 7;
  made.threads = threads;
  made.ahead = ahead;
  made.first_step = first_step;
  return made;
}

void expect_same(const Batch& a, const Batch& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_TRUE(a.all.equal(b.all)) << "step " << a.step;
  EXPECT_TRUE(a.labels.equal(b.labels));
  EXPECT_TRUE(a.labelled_index.equal(b.labelled_index));
  EXPECT_TRUE(a.index.equal(b.index));
}

TEST(Loader, GivesTheAskedViewsInTheLayoutOfTheModel) {
  for (const auto precision : {torch::kFloat, torch::kBFloat16}) {
    auto wanted = options(1);
    wanted.precision = precision;
    const auto made_from = source(kViews);
    Loader loader(made_from, wanted);
    const auto batch = loader.next();
    EXPECT_EQ(batch.images.sizes(), torch::IntArrayRef({12, 3, 16, 16}));
    ASSERT_EQ(batch.weak.size(), 2u);
    ASSERT_EQ(batch.strong.size(), 3u);
    for (const auto& views : {batch.weak, batch.strong})
      for (const auto& view : views) {
        EXPECT_EQ(view.sizes(), torch::IntArrayRef({30, 3, 16, 16}));
        EXPECT_EQ(view.scalar_type(), precision);
        EXPECT_TRUE(view.is_contiguous(torch::MemoryFormat::ChannelsLast));
      }
    EXPECT_TRUE(batch.all.equal(torch::cat({batch.images, batch.strong[0], batch.strong[1],
                                            batch.strong[2], batch.weak[0], batch.weak[1]})));
    EXPECT_TRUE(batch.labels.equal(made_from.images.labels.index_select(0, batch.labelled_index)));
    EXPECT_LT(batch.labelled_index.max().item<int64_t>(), 40);
    EXPECT_GE(batch.index.min().item<int64_t>(), 40);
    EXPECT_FALSE(batch.probe.defined());
  }
}

TEST(Loader, WithoutAugmentationGivesThePicturesNormalised) {
  auto made_from = source({/*weak=*/1, /*strong=*/1, /*ratio=*/1}, "none");
  Options none{{"weak", "none"}};
  made_from.policies = make_policies("none", none, true);
  Loader loader(made_from, options(2));
  for (int step = 0; step < 20; ++step) {
    const auto batch = loader.next();
    const auto expected = [&](const torch::Tensor& index) {
      return (made_from.images.pixels.index_select(0, index).permute({0, 3, 1, 2}) / 255.0 - 0.5) /
             0.25;
    };
    EXPECT_TRUE(batch.images.allclose(expected(batch.labelled_index), 0, 1e-5));
    EXPECT_TRUE(batch.weak[0].allclose(expected(batch.index), 0, 1e-5));
    EXPECT_TRUE(batch.strong[0].equal(batch.weak[0]));
  }
}

TEST(Loader, GivesStrongViewsOfTheAskedShareOfLabelledPictures) {
  auto views = kViews;
  const auto images = [&](double share) {
    views.labelled_strong = share;
    Loader loader(source(views), options(1));
    return loader.next().images;
  };
  const auto weak = images(0), half = images(0.5), strong = images(1);
  EXPECT_TRUE(half.narrow(0, 0, 6).equal(strong.narrow(0, 0, 6)));
  EXPECT_TRUE(half.narrow(0, 6, 6).equal(weak.narrow(0, 6, 6)));
  EXPECT_FALSE(weak.equal(strong));
}

TEST(Loader, IsBitIdenticalForAnyThreadsAndLookAhead) {
  for (const auto* strong : {"randaugment", "ctaugment"}) {
    Loader one(source(kViews, strong), options(1, 0, /*ahead=*/1));
    Loader eight(source(kViews, strong), options(8, 0, /*ahead=*/4));
    for (int step = 0; step < 25; ++step) expect_same(one.next(), eight.next());
  }
}

TEST(Loader, GoesOnInTheMiddleAsIfItHadNeverStopped) {
  Loader whole(source(kViews), options(2)), resumed(source(kViews), options(2, 17));
  for (int step = 0; step < 17; ++step) whole.next();
  for (int step = 0; step < 10; ++step) expect_same(whole.next(), resumed.next());
}

TEST(Loader, PassesOverTheDataWithoutReplacement) {
  Loader loader(source(kViews), options(2));
  std::vector<int64_t> labelled, unlabelled;
  for (int step = 0; step < 16; ++step) {  // 192 labelled draws, 480 unlabelled ones
    const auto batch = loader.next();
    for (int64_t i = 0; i < 12; ++i) labelled.push_back(batch.labelled_index[i].item<int64_t>());
    for (int64_t i = 0; i < 30; ++i) unlabelled.push_back(batch.index[i].item<int64_t>());
  }
  const auto expect_passes = [](std::vector<int64_t> draws, std::size_t size, int64_t begin) {
    for (std::size_t pass = 0; (pass + 1) * size <= draws.size(); ++pass) {
      const auto from = draws.begin() + static_cast<std::ptrdiff_t>(pass * size);
      const auto to = from + static_cast<std::ptrdiff_t>(size);
      std::sort(from, to);
      for (std::size_t i = 0; i < size; ++i)
        ASSERT_EQ(from[static_cast<std::ptrdiff_t>(i)], begin + static_cast<int64_t>(i));
    }
  };
  expect_passes(labelled, 40, 0);
  expect_passes(unlabelled, 160, 40);
}

TEST(Loader, AnotherWeakViewChangesNoOther) {
  Loader few(source({1, 1, 2}), options(1)), more(source({2, 2, 2}), options(1));
  const auto a = few.next(), b = more.next();
  EXPECT_TRUE(a.weak[0].equal(b.weak[0]));
  EXPECT_TRUE(a.strong[0].equal(b.strong[0]));
  EXPECT_FALSE(b.weak[0].equal(b.weak[1]));
  EXPECT_FALSE(b.strong[0].equal(b.strong[1]));
}

TEST(Loader, AugmentsAPictureAnewInTheNextPass) {
  auto made_from = source({1, 0, 1});
  made_from.unlabelled = {50};
  Loader loader(made_from, options(1));
  const auto views = loader.next().weak[0];  // twelve times the same picture
  int differing = 0;
  for (int64_t i = 1; i < 12; ++i) differing += !views[i].equal(views[0]);
  EXPECT_GT(differing, 8);
}

TEST(Loader, DoesNotTouchThePicturesItReads) {
  const auto made_from = source(kViews);
  const auto before = made_from.images.pixels.clone();
  Loader loader(made_from, options(4));
  for (int step = 0; step < 10; ++step) loader.next();
  EXPECT_TRUE(made_from.images.pixels.equal(before));
}

TEST(Loader, NeverWritesOverABatchThatSomebodyHolds) {
  Loader loader(source(kViews), options(2)), again(source(kViews), options(2));
  std::vector<torch::Tensor> kept, copies;
  for (int step = 0; step < 20; ++step) {
    const auto batch = loader.next();
    // Part of the batch, or something made from it, keeps the whole.
    kept.push_back(step % 2 == 0 ? batch.strong[1] : batch.strong[1].select(1, 0));
    copies.push_back(kept.back().clone());
    again.next();
  }
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_TRUE(kept[i].equal(copies[i])) << i;
}

TEST(Loader, UsesMemoryAgainThatNobodyHolds) {
  Loader loader(source(kViews), options(2));
  std::set<void*> blocks;
  for (int step = 0; step < 50; ++step) blocks.insert(loader.next().all.data_ptr());
  EXPECT_LE(blocks.size(), 6u);
}

TEST(Loader, GivesTensorsThatAModelCanTrainOn) {
  Loader loader(source(kViews), options(1));
  torch::nn::Conv2d layer(torch::nn::Conv2dOptions(3, 4, 3));
  const auto batch = loader.next();
  layer(batch.all.narrow(0, 0, 12 + 30)).square().mean().backward();
  EXPECT_GT(layer->weight.grad().abs().sum().item<double>(), 0);
  auto input = batch.weak[0].detach().clone().requires_grad_();
  layer(input).sum().backward();
  EXPECT_EQ(input.grad().sizes(), batch.weak[0].sizes());
}

TEST(Loader, WorksWithoutUnlabelledPicturesWhereNoneAreAskedFor) {
  auto made_from = source({});
  made_from.unlabelled.clear();
  Loader loader(made_from, options(1));
  const auto batch = loader.next();
  EXPECT_TRUE(batch.weak.empty() && batch.strong.empty());
  EXPECT_EQ(batch.index.size(0), 0);
  EXPECT_EQ(batch.all.size(0), 12);
}

TEST(Loader, CtAugmentLearnsTheSameWithAndWithoutLookAhead) {
  const auto run = [](int threads, int64_t ahead, bool learn) {
    auto made_from = source({0, 1, 1}, "ctaugment");
    Options wanted{{"delay", "4"}, {"decay", "0.6"}};
    made_from.policies = make_policies("ctaugment", wanted, true);
    Loader loader(made_from, options(threads, 0, ahead));
    torch::Tensor sum = torch::zeros({12, 3, 16, 16});
    for (int step = 0; step < 60; ++step) {
      const auto batch = loader.next();
      EXPECT_EQ(batch.traces.size(), 12u);
      EXPECT_EQ(batch.probe.sizes(), torch::IntArrayRef({12, 3, 16, 16}));
      // A model that dislikes dark pictures.
      const auto good = batch.probe.mean({1, 2, 3}).sigmoid();
      const auto p = torch::full({12, 4}, 0.0f);
      p.scatter_(1, batch.labels.unsqueeze(1), good.unsqueeze(1));
      if (learn) made_from.policies.strong->update(batch, p);
      sum += batch.strong[0];
    }
    return std::make_pair(sum, made_from.policies.strong->save());
  };
  const auto alone = run(1, 1, true), ahead = run(4, 4, true), ignorant = run(1, 1, false);
  EXPECT_TRUE(alone.first.equal(ahead.first));
  EXPECT_TRUE(alone.second == ahead.second);  // too long to print
  EXPECT_FALSE(alone.first.equal(ignorant.first));
}

class Failing final : public Policy {
 public:
  void apply(Canvas&, Random&, int64_t step) const override {
    if (step == 3) fail("this policy fails at step 3");
  }
};

TEST(Loader, PassesOnTheExceptionOfAWorker) {
  auto made_from = source(kViews);
  made_from.policies.strong = std::make_shared<Failing>();
  Loader loader(made_from, options(3));
  EXPECT_THAT(
      [&] {
        for (int step = 0; step < 10; ++step) loader.next();
      },
      ThrowsMessage<Error>(HasSubstr("fails at step 3")));
  EXPECT_THROW(loader.next(), Error);
}

TEST(Loader, ShutsDownAtAnyMoment) {
  for (int round = 0; round < 60; ++round) {
    Loader loader(source(kViews), options(1 + round % 4, 0, 1 + round % 3));
    for (int step = 0; step < round % 5; ++step) loader.next();
    if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100 * round));
  }
}

TEST(Loader, NamesWhatIsWrongWithItsInput) {
  const auto message = [](const auto& spoil) {
    auto made_from = source(kViews);
    auto wanted = options(1);
    spoil(made_from, wanted);
    return [made_from, wanted] { Loader(made_from, wanted); };
  };
  EXPECT_THAT(message([](auto& s, auto&) { s.labelled.clear(); }),
              ThrowsMessage<Error>(HasSubstr("no labelled pictures")));
  EXPECT_THAT(message([](auto& s, auto&) { s.unlabelled.clear(); }),
              ThrowsMessage<Error>(HasSubstr("no unlabelled pictures, but the method wants 2")));
  EXPECT_THAT(message([](auto& s, auto&) { s.unlabelled.push_back(200); }),
              ThrowsMessage<Error>(HasSubstr("unlabelled picture number 200 of a training set")));
  EXPECT_THAT(message([](auto& s, auto&) {
                s.images.labels = s.images.labels.clone();
                s.images.labels[5] = kUnlabelled;
              }),
              ThrowsMessage<Error>(HasSubstr("picture number 5 is among the labelled but has no")));
  EXPECT_THAT(message([](auto& s, auto&) { s.views.ratio = 0.01; }),
              ThrowsMessage<Error>(HasSubstr("0.01 unlabelled pictures per labelled one")));
  EXPECT_THAT(message([](auto& s, auto&) { s.normalisation.mean.pop_back(); }),
              ThrowsMessage<Error>(HasSubstr("normalisation for 2 channels: expected 3")));
  EXPECT_THAT(message([](auto&, auto& o) { o.batch_size = 0; }),
              ThrowsMessage<Error>(HasSubstr("batch size 0")));
  EXPECT_THAT(message([](auto&, auto& o) { o.first_step = -1; }),
              ThrowsMessage<Error>(HasSubstr("first step -1")));
  EXPECT_THAT(message([](auto&, auto& o) { o.precision = torch::kHalf; }),
              ThrowsMessage<Error>(HasSubstr("batches of type Half")));
  EXPECT_THAT(message([](auto& s, auto&) {
                s.policies = policies("randaugment", {{"pad", "1"}});
              }),
              ThrowsMessage<Error>(HasSubstr("padding of 16 pixels")));
  EXPECT_THAT(message([](auto& s, auto& o) {
                s.policies = policies("ctaugment", {{"delay", "2"}});
                o.ahead = 3;
              }),
              ThrowsMessage<Error>(HasSubstr("augment.delay is 2 steps: expected at least 3")));
}

TEST(ShapeOf, RefusesPicturesThatAugmentationCannotDealWith) {
  Images images;
  images.pixels = torch::empty({1, 8, 8, 5}, torch::kByte);
  EXPECT_THAT([&] { shape_of(images); }, ThrowsMessage<Error>(HasSubstr("pictures of 5 channels")));
  images.pixels = torch::empty({1, 1, 9000, 1}, torch::kByte);
  EXPECT_THAT([&] { shape_of(images); },
              ThrowsMessage<Error>(HasSubstr("pictures of 9000x1 pixels")));
}

TEST(Loader, NamesOptionsThatCannotBe) {
  const auto message = [](const auto& spoil) {
    auto made_from = source(kViews);
    auto wanted = options(1);
    spoil(made_from, wanted);
    return [made_from, wanted] { Loader(made_from, wanted); };
  };
  EXPECT_THAT(message([](auto&, auto& o) { o.ahead = 0; }),
              ThrowsMessage<Error>(HasSubstr("look-ahead of 0 batches: expected at least 1")));
  EXPECT_THAT(message([](auto&, auto& o) { o.threads = 0; }),
              ThrowsMessage<Error>(HasSubstr("0 loader threads: expected at least 1")));
  EXPECT_THAT(
      message([](auto& s, auto&) { s.labelled.push_back(-1); }),
      ThrowsMessage<Error>(HasSubstr("labelled picture number -1 of a training set of 200")));
  EXPECT_THAT(message([](auto& s, auto&) { s.views.strong = 0x4001; }),
              ThrowsMessage<Error>(HasSubstr("16385 strong views: expected 0 to 16384 of each")));
  EXPECT_THAT(message([](auto& s, auto&) { s.views.weak = -1; }),
              ThrowsMessage<Error>(HasSubstr("-1 weak and 3 strong views")));
  EXPECT_THAT(message([](auto& s, auto&) { s.views.ratio = 1e9; }),
              ThrowsMessage<Error>(HasSubstr("of them in a step: expected 1 to 1000000")));
  EXPECT_THAT(message([](auto& s, auto&) { s.normalisation.std[1] = 0; }),
              ThrowsMessage<Error>(HasSubstr("normalisation divides by 0")));
}

TEST(Loader, KnowsHowLongItWasWaitedFor) {
  Loader loader(source(kViews), options(1));
  EXPECT_EQ(loader.waited(), 0);
  double before = 0;
  for (int step = 0; step < 5; ++step) {
    loader.next();
    EXPECT_GE(loader.waited(), before);
    before = loader.waited();
  }
}

TEST(Loader, StepsAreCountedFromTheFirst) {
  Loader loader(source(kViews), options(2, /*first_step=*/41));
  EXPECT_EQ(loader.next().step, 41);
  const auto batch = loader.next();
  EXPECT_EQ(batch.step, 42);
  EXPECT_EQ(batch.seed, 7U);
}

}  // namespace
}  // namespace penumbra
