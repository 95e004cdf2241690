#include "penumbra/train/tensorboard.h"

#include <gtest/gtest.h>

#include <cstring>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

// The events of the one file in a folder; every checksum must be right.
std::vector<std::string> events_in(const TestFolder& folder) {
  std::string bytes;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    bytes = read_file(entry.path());
  const auto masked_sum = [](const std::string& part) {
    const uint32_t sum = crc32c(part);
    return (sum >> 15 | sum << 17) + 0xa282ead8U;
  };
  const auto number_at = [&](std::size_t at) {
    uint32_t number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
  };
  std::vector<std::string> events;
  // length (8 bytes), its checksum (4), the event, its checksum (4)
  for (std::size_t at = 0; at + 16 <= bytes.size();) {
    uint64_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    EXPECT_EQ(number_at(at + 8), masked_sum(bytes.substr(at, 8)));
    events.push_back(bytes.substr(at + 12, length));
    EXPECT_EQ(number_at(at + 12 + length), masked_sum(events.back()));
    at += 16 + length;
  }
  return events;
}

std::string bytes_of_float(float number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

TEST(EventWriter, BeginsWithTheVersionThatTensorBoardExpects) {
  const TestFolder folder;
  { EventWriter(folder.path(), /*wall_time=*/1700000000); }
  const auto events = events_in(folder);
  ASSERT_EQ(events.size(), 1U);
  // field 3, text of 13 bytes
  EXPECT_NE(events[0].find("\x1a\x0d"
                           "brain.Event:2"),
            std::string::npos);
}

TEST(EventWriter, WritesEveryNumberUnderItsNameWithItsStep) {
  const TestFolder folder;
  {
    EventWriter writer(folder.path(), 5);
    writer.write(300, 6, {{"loss", 0.5}, {"validation/accuracy", 0.75}});
  }
  const auto events = events_in(folder);
  ASSERT_EQ(events.size(), 2U);
  // field 2, 300 as a varint: 300 = 2 * 128 + 44
  EXPECT_NE(events[1].find("\x10\xac\x02"), std::string::npos);
  // field 1, the name; field 2, four bytes
  EXPECT_NE(events[1].find(std::string("\x0a\x04loss\x15") + bytes_of_float(0.5F)),
            std::string::npos);
  EXPECT_NE(events[1].find(std::string("\x0a\x13validation/accuracy\x15") + bytes_of_float(0.75F)),
            std::string::npos);
}

TEST(EventWriter, AFolderThatIsNotThereIsAnError) {
  EXPECT_THROW(EventWriter("/does/not/exist", 5), Error);
}

TEST(Crc32c, OfNothingIsNothingAndOfZerosWhatTheStandardSays) {
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);    // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);  // the same
}

}  // namespace
}  // namespace penumbra
