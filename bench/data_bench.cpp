// Reading folders of pictures. Both sides of a ratio are measured in turns in one run, so that
// whatever else the machine does falls on both.

#include <benchmark/benchmark.h>

#include <cstdio>

#include <jpeglib.h>  // after <cstdio>, which it needs

#include <ctime>
#include <fstream>

#include "penumbra/core/parallel.h"
#include "penumbra/data/dataset.h"
#include "penumbra/data/decode_files.h"
#include "tests/test_folder.h"

namespace fs = std::filesystem;

namespace penumbra {
namespace {

double clock_seconds(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Cost {
  double wall = 0;       // seconds
  double processor = 0;  // seconds of all threads together, which a busy machine changes less

  void measure(const std::function<void()>& work) {
    const auto wall_start = clock_seconds(CLOCK_MONOTONIC);
    const auto processor_start = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
    work();
    wall += clock_seconds(CLOCK_MONOTONIC) - wall_start;
    processor += clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - processor_start;
  }
};

// Megabytes of memory that are this process's own or that it looked at.
double resident() {
  long all = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  return static_cast<double>(pages * sysconf(_SC_PAGESIZE)) / 1e6;
}

bool unpack(const std::string& archive, const fs::path& target) {
  const char* data = std::getenv("PENUMBRA_TEST_DATA");
  if (data == nullptr) return false;
  const auto command =
      "tar -xf '" + std::string(data) + "/" + archive + "' -C '" + target.string() + "'";
  return std::system(command.c_str()) == 0;
}

// What nobody can go below: the file's bytes and libjpeg-turbo's own loop, no checks, no copy.
void decode_bare(const fs::path& path) {
  thread_local std::vector<unsigned char> bytes, pixels;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  bytes.resize(fs::file_size(path));
  if (std::fread(bytes.data(), 1, bytes.size(), file) != bytes.size()) std::abort();
  std::fclose(file);
  jpeg_decompress_struct jpeg;
  jpeg_error_mgr errors;
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, bytes.data(), bytes.size());
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = JCS_RGB;
  jpeg_start_decompress(&jpeg);
  const auto stride = std::size_t{jpeg.output_width} * 3;
  pixels.resize(stride * jpeg.output_height);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = pixels.data() + jpeg.output_scanline * stride;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
  jpeg_destroy_decompress(&jpeg);
}

// Arguments: the size asked for, 0 for the pictures' own.
//   ratio       throughput of decoding into memory, bare loop = 1
//   ratio_cpu   the same in processor time
//   ratio_pack  as ratio, into the packed file: what the kernel takes for a write comes on top
//   ratio_all   as ratio, from nothing: scan, common size, packed file, sync to disk
void folder_decode(benchmark::State& state, const std::string& archive, const std::string& below) {
  const TestFolder folder;
  if (!unpack(archive, folder.path())) {
    state.SkipWithError(
        "set PENUMBRA_TEST_DATA to the folder of mini-imagenet.tar and flowers.tar");
    return;
  }
  const auto path = folder.path() / below;
  const int threads = processor_count();
  Reading reading;
  reading.threads = threads;
  const auto layout = scan_folder(path, {}, reading);
  std::vector<fs::path> files;
  for (const auto& part : layout.parts)
    for (const auto& file : part) files.push_back(path / file.name);

  std::vector<uint8_t> memory;
  Cost bare, decode, pack, all;
  for (auto _ : state) {
    bare.measure([&] {
      parallel_for(files.size(), threads, [&](std::size_t i) { decode_bare(files[i]); });
    });
    auto shape = PictureShape{state.range(0), state.range(0), 3};
    if (state.range(0) == 0) {
      shape = common_shape(path, layout, /*largest=*/256, threads);
      shape.channels = 3;
    }
    memory.resize(files.size() * shape.bytes());
    decode.measure([&] {
      auto left = layout;
      decode_files(path, shape, Fit::kCrop, left, reading,
                   [&](std::size_t slot, const uint8_t* pixels, std::size_t n) {
                     std::memcpy(memory.data() + slot * shape.bytes(), pixels, n * shape.bytes());
                   });
    });
    PackedWriter writer(folder.path() / "packed", shape);
    pack.measure([&] {
      auto left = layout;
      decode_files(path, shape, Fit::kCrop, left, reading,
                   [&](std::size_t slot, const uint8_t* pixels, std::size_t n) {
                     writer.store(slot, pixels, n);
                   });
    });
    all.measure([&] {
      Options options{{"path", path.string()}, {"size", std::to_string(state.range(0))}};
      reading.cache = folder.path() / "cache";
      make_dataset("folder", options)->train(reading);
    });
    fs::remove_all(folder.path() / "cache");
  }
  state.counters["pictures_per_s"] =
      static_cast<double>(files.size()) * static_cast<double>(state.iterations()) / decode.wall;
  state.counters["ratio"] = bare.wall / decode.wall;
  state.counters["ratio_cpu"] = bare.processor / decode.processor;
  state.counters["ratio_pack"] = bare.wall / pack.wall;
  state.counters["ratio_all"] = bare.wall / all.wall;
}
BENCHMARK_CAPTURE(folder_decode, mini_imagenet, "mini-imagenet.tar", "")
    ->Arg(0)
    ->Arg(84)
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(folder_decode, flowers, "flowers.tar", "flowers")
    ->Arg(0)
    ->Arg(128)
    ->Arg(64)
    ->Iterations(5)
    ->Unit(benchmark::kMillisecond);

// 100,000 pictures that were packed before: the time to open them, the memory that this adds,
// and beside it the scan which notices that nothing changed.
void open_cache(benchmark::State& state) {
  constexpr int kPictures = 100000, kClasses = 100;
  const TestFolder folder;
  for (int i = 0; i < kPictures; ++i)
    folder.write("class " + std::to_string(i % kClasses) + "/picture " + std::to_string(i) + ".jpg",
                 "");
  Reading reading;
  const TestFolder cache;
  const PictureShape shape{32, 32, 3};
  {
    const auto layout = scan_folder(folder.path(), {}, reading);
    PackedWriter writer(cache.path() / "packed", shape);
    const std::vector<uint8_t> pixels(shape.bytes(), 7);
    for (std::size_t i = 0; i < kPictures; ++i) writer.store(i, pixels.data(), 1);
    writer.commit(/*key=*/1, layout, {});
  }
  Cost scan;
  double megabytes = 0;
  for (auto _ : state) {
    const auto before = resident();
    const auto packed = open_packed(cache.path() / "packed", 1);
    if (!packed || packed->parts[kTrain].size() != kPictures) std::abort();
    megabytes = std::max(megabytes, resident() - before);
    state.PauseTiming();
    scan.measure([&] { scan_folder(folder.path(), {}, reading); });
    state.ResumeTiming();
  }
  state.counters["added_MB"] = megabytes;
  state.counters["scan_ms"] = 1000 * scan.wall / static_cast<double>(state.iterations());
}
BENCHMARK(open_cache)->Iterations(10)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace penumbra
