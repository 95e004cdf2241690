#include "penumbra/train/tensorboard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "penumbra/core/error.h"

namespace penumbra {
namespace {

template <class Number>
std::string little_endian(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);  // as every machine we build for has it
  return bytes;
}

std::string varint(uint64_t number) {
  std::string bytes;
  for (; number >= 128; number >>= 7) bytes += static_cast<char>(number | 128);
  return bytes + static_cast<char>(number);
}

// Protobuf fields: key = number << 3 | kind; kind 0 varint, 1 eight bytes, 2 length and bytes,
// 5 four bytes.
std::string field_varint(int number, uint64_t value) { return varint(number << 3) + varint(value); }
std::string field_double(int number, double value) {
  return varint(number << 3 | 1) + little_endian(value);
}
std::string field_float(int number, float value) {
  return varint(number << 3 | 5) + little_endian(value);
}
std::string field_bytes(int number, const std::string& value) {
  return varint(number << 3 | 2) + varint(value.size()) + value;
}

// A rotation and a constant keep checksums of checksums apart.
uint32_t masked(uint32_t sum) { return ((sum >> 15) | (sum << 17)) + 0xa282ead8u; }

}  // namespace

uint32_t crc32c(const std::string& bytes) {
  static const auto table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = value >> 1 ^ (value & 1 ? 0x82f63b78u : 0);
      made[i] = value;
    }
    return made;
  }();
  uint32_t sum = ~0u;
  for (const char byte : bytes) sum = sum >> 8 ^ table[(sum ^ static_cast<uint8_t>(byte)) & 255];
  return ~sum;
}

EventWriter::EventWriter(const std::filesystem::path& folder, double wall_time) {
  path_ = folder / fmt::format("events.out.tfevents.{:010}.penumbra.{}",
                               static_cast<int64_t>(wall_time), getpid());
  file_.open(path_, std::ios::binary | std::ios::app);
  if (!file_) fail("cannot write ", path_.string());
  record(field_double(1, wall_time) + field_bytes(3, "brain.Event:2"));
}

void EventWriter::write(int64_t step, double wall_time,
                        const std::map<std::string, double>& numbers) {
  std::string summary;
  for (const auto& [name, value] : numbers)
    summary += field_bytes(1, field_bytes(1, name) + field_float(2, static_cast<float>(value)));
  record(field_double(1, wall_time) + field_varint(2, static_cast<uint64_t>(step)) +
         field_bytes(5, summary));
  file_.flush();
  if (!file_)
    fail("cannot write ", path_.string(),
         ": the disk is full or failed; free some space and resume the run");
}

void EventWriter::record(const std::string& event) {
  const auto length = little_endian(static_cast<uint64_t>(event.size()));
  file_ << length << little_endian(masked(crc32c(length))) << event
        << little_endian(masked(crc32c(event)));
}

}  // namespace penumbra
