#include "penumbra/data/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include <jpeglib.h>  // after cstdio, whose FILE it uses
#include <zlib.h>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "tests/test_folder.h"

namespace penumbra {
namespace {

using testing::HasSubstr;

std::string golden(const std::string& name) {
  return read_file(std::string(PENUMBRA_SOURCE_DIR "/tests/golden/pictures/") + name);
}

Picture decode(const std::string& bytes, const DecodeRequest& request = {}) {
  return decode_picture(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), request);
}

std::string decode_error(const std::string& bytes) {
  try {
    decode(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "decoded without an error";
}

// A PNG that ends after its header.
std::string png_header(uint32_t width, uint32_t height) {
  std::string bytes("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  for (const auto side : {width, height})
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(side >> shift);
  return bytes + std::string("\x08\x02\0\0\0", 5);
}

std::string big_endian(uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

std::string png_chunk(const std::string& kind, const std::string& content) {
  const auto checked = kind + content;
  return big_endian(static_cast<uint32_t>(content.size())) + checked +
         big_endian(static_cast<uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                                                static_cast<uInt>(checked.size()))));
}

struct Golden {
  std::string file;
  int width, height, tolerance;
};

std::vector<Golden> goldens() {
  std::vector<Golden> rows;
  std::istringstream lines(golden("index.csv"));
  for (std::string line; std::getline(lines, line);) {
    for (auto& letter : line)
      if (letter == ',') letter = ' ';
    Golden row;
    std::istringstream(line) >> row.file >> row.width >> row.height >> row.tolerance;
    rows.push_back(row);
  }
  return rows;
}

int largest_difference(const std::vector<uint8_t>& pixels, const std::string& expected) {
  if (pixels.size() != expected.size()) return 256;
  int largest = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i)
    largest = std::max(largest, std::abs(pixels[i] - static_cast<uint8_t>(expected[i])));
  return largest;
}

TEST(Picture, EveryKindIsDecodedAsPilDoes) {
  ASSERT_GE(goldens().size(), 27u);
  for (const auto& [file, width, height, tolerance] : goldens()) {
    SCOPED_TRACE(file);
    const auto picture = decode(golden(file));
    EXPECT_EQ(picture.width, width);
    EXPECT_EQ(picture.height, height);
    EXPECT_EQ(picture.channels, 3);
    EXPECT_LE(largest_difference(picture.pixels, golden(file + ".rgb")), tolerance);
  }
}

TEST(Picture, HeaderAloneGivesTheUprightSize) {
  for (const auto& [file, width, height, tolerance] : goldens()) {
    SCOPED_TRACE(file);
    const auto picture = decode(golden(file), {3, 0, /*header_only=*/true});
    EXPECT_EQ(picture.width, width);
    EXPECT_EQ(picture.height, height);
    EXPECT_TRUE(picture.pixels.empty());
  }
}

TEST(Picture, GreyIsTheLumaOfTheColours) {
  for (const std::string file :
       {"colour.jpg", "cmyk.jpg", "colour.png", "alpha.png", "lossless.webp"}) {
    SCOPED_TRACE(file);
    const auto grey = decode(golden(file), {/*channels=*/1});
    const auto colour = decode(golden(file));
    ASSERT_EQ(grey.channels, 1);
    ASSERT_EQ(3 * grey.pixels.size(), colour.pixels.size());
    for (std::size_t i = 0; i < grey.pixels.size(); ++i) {
      const auto* rgb = colour.pixels.data() + 3 * i;
      // A JPEG stores luma; its colours were clipped, hence a few levels.
      ASSERT_NEAR(grey.pixels[i], 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2],
                  file == "colour.jpg" ? 8 : 1);
    }
  }
}

TEST(Picture, CutShortAnywhereIsAnError) {
  for (const std::string file : {"colour.jpg", "progressive.jpg", "colour.png", "interlaced.png",
                                 "lossy.webp", "lossless.webp"}) {
    const auto bytes = golden(file);
    for (std::size_t size = 1; size < bytes.size() - 1; size += 3)
      ASSERT_THROW(decode(bytes.substr(0, size)), Error) << file << " of " << size << " bytes";
  }
  EXPECT_THAT(decode_error(golden("colour.jpg").substr(0, 700)), HasSubstr("broken or cut short"));
  EXPECT_THAT(decode_error(golden("colour.png").substr(0, 700)), HasSubstr("broken or cut short"));
  EXPECT_THAT(decode_error(golden("lossy.webp").substr(0, 200)), HasSubstr("broken or cut short"));
}

TEST(Picture, DamagedBytesNeverDoMoreThanThrow) {
  for (const std::string file :
       {"colour.jpg", "progressive.jpg", "exif6.jpg", "palette.png", "exif6.webp"}) {
    const auto bytes = golden(file);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      auto damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
      try {
        decode(damaged);
      } catch (const Error&) {
      }
    }
  }
}

TEST(Picture, AbsurdSizesAreNamedBeforeMemoryIsTaken) {
  EXPECT_THAT(decode_error(png_header(100000, 100000)), HasSubstr("100000 x 100000"));
  EXPECT_THAT(decode_error(png_header(0, 20)), HasSubstr("0 x 20"));
  auto jpeg = golden("colour.jpg");
  const auto frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  auto large = jpeg;
  for (std::size_t i = 5; i < 9; i += 2) large.replace(frame + i, 2, "\xff\xdc");  // 65500
  EXPECT_THAT(decode_error(large), HasSubstr("65500 x 65500"));
  jpeg.replace(frame + 5, 2, std::string(2, '\0'));
  EXPECT_THAT(decode_error(jpeg), HasSubstr("24 x 0"));
}

TEST(Picture, MorePixelsThanAPngCanHoldAreNamedBeforeMemoryIsTaken) {
  const auto side = big_endian(16384);
  const auto bytes = std::string("\x89PNG\r\n\x1a\n") +
                     png_chunk("IHDR", side + side + std::string("\x08\x06\0\0\0", 5)) +
                     png_chunk("IDAT", "\x78\x9c") + png_chunk("IEND", "");
  EXPECT_THAT(decode_error(bytes), HasSubstr("bytes cannot hold 16384 x 16384 pixels"));
  // One colour is what can be shrunk most, and is read.
  const TestFolder folder;
  const Picture plain{2000, 2000, 1, std::vector<uint8_t>(4'000'000, 7)};
  encode_png(folder / "plain.png", plain);
  EXPECT_EQ(decode(read_file(folder / "plain.png"), {/*channels=*/1}).pixels, plain.pixels);
}

TEST(Picture, ABlockOfAPngThatClaimsMoreThanTheFileHasIsRefused) {
  const auto side = big_endian(7);
  const auto bytes = std::string("\x89PNG\r\n\x1a\n") +
                     png_chunk("IHDR", side + side + std::string("\x08\x02\0\0\0", 5)) +
                     big_endian(956301312) + "eXIf" + std::string(16, '\0');
  EXPECT_THAT(decode_error(bytes),
              HasSubstr("a block claims 956301312 bytes, the file has 16 left"));
}

TEST(Picture, OtherFilesAreToldApart) {
  EXPECT_THAT(decode_error("hello, I am text"), HasSubstr("it starts with 'hello, I am '"));
  EXPECT_THAT(decode_error(""), HasSubstr("empty"));
  EXPECT_THAT(decode_error("GIF89a.........."), HasSubstr("a GIF file"));
  EXPECT_THAT(decode_error(golden("animated.webp")), HasSubstr("animated"));
}

TEST(Picture, LargeJpegIsReducedButNeverBelowTwiceTheTarget) {
  const auto bytes = golden("colour.jpg");  // 24 x 16
  EXPECT_EQ(decode(bytes, {3, /*short_side=*/8}).height, 16);
  EXPECT_EQ(decode(bytes, {3, /*short_side=*/5}).height, 16);
  EXPECT_EQ(decode(bytes, {3, /*short_side=*/4}).height, 8);
  EXPECT_EQ(decode(bytes, {3, /*short_side=*/2}).height, 4);
  EXPECT_EQ(decode(bytes, {3, /*short_side=*/1}).width, 3);
}

TEST(Picture, PngThatWasWrittenReadsBackExactly) {
  const TestFolder folder;
  for (const int channels : {1, 3}) {
    const auto picture = decode(golden("colour.jpg"), {channels});
    encode_png(folder.path() / "copy.png", picture);
    const auto copy = decode(read_file(folder.path() / "copy.png"), {channels});
    EXPECT_EQ(copy.pixels, picture.pixels);
    EXPECT_EQ(copy.height, picture.height);
  }
  EXPECT_THROW(encode_png(folder.path() / "none" / "copy.png", decode(golden("grey.png"))), Error);
}

// Eight by eight grey pixels in two scans: their mean, then everything else.
std::string jpeg_of_two_scans() {
  static const jpeg_scan_info scans[] = {{1, {0}, 0, 0, 0, 0}, {1, {0}, 1, 63, 0, 0}};
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;  // NOLINT(google-runtime-int): libjpeg's type
  jpeg_mem_dest(&jpeg, &bytes, &size);
  jpeg.image_width = jpeg.image_height = 8;
  jpeg.input_components = 1;
  jpeg.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&jpeg);
  jpeg.scan_info = scans;
  jpeg.num_scans = 2;
  jpeg_start_compress(&jpeg, TRUE);
  unsigned char row[] = {10, 200, 30, 40, 90, 60, 170, 80};
  for (unsigned char* rows[] = {row}; jpeg.next_scanline < 8;) jpeg_write_scanlines(&jpeg, rows, 1);
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  const std::string made(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  return made;
}

TEST(Picture, AJpegOfEndlessScansIsRefused) {
  // Each scan costs a pass over all pixels, so a small file could take hours.
  const auto bytes = jpeg_of_two_scans();
  const std::string scan("\xff\xda", 2), end("\xff\xd9", 2);
  const auto last = bytes.rfind(scan), finish = bytes.rfind(end);
  ASSERT_LT(last, finish);
  const auto repeated = [&](int times) {
    auto made = bytes.substr(0, finish);
    for (int i = 0; i < times; ++i) made += bytes.substr(last, finish - last);
    return made + end;
  };
  EXPECT_EQ(decode(repeated(100)).pixels, decode(bytes).pixels);
  EXPECT_THAT(decode_error(repeated(600)), HasSubstr("more than 500 scans"));
}

TEST(Picture, WithoutPixelsCannotBeWritten) {
  const TestFolder folder;
  EXPECT_THAT(([&] { encode_png(folder / "none.png", Picture()); }),
              testing::ThrowsMessage<Error>(HasSubstr("cannot write")));
  EXPECT_FALSE(std::filesystem::exists(folder / "none.png"));
}

TEST(Picture, EveryOtherFormatIsNamedWithARemedy) {
  const std::pair<std::string, std::string> others[] = {
      {"BM....", "BMP"},
      {std::string("II*\0....", 8), "TIFF"},
      {std::string("MM\0*....", 8), "TIFF"},
      {std::string("\0\0\0\x18", 4) + "ftypheic....", "HEIC"},
      {std::string("\0\0\0\x1c", 4) + "ftypavif....", "AVIF"}};
  for (const auto& [bytes, name] : others)
    EXPECT_EQ(decode_error(bytes),
              "a " + name + " file, expected JPEG, PNG or WebP; convert it or take it away");
  // Of what nobody knows, only letters are shown.
  EXPECT_THAT(decode_error(std::string("a\0\x1b[31m\xff\n", 8)),
              HasSubstr("it starts with 'a??[31m?'"));
  EXPECT_THAT(decode_error("\xff\xd8"), HasSubstr("it starts with '?\?'"));
  EXPECT_THAT(decode_error("RIFF....WAVEfmt "), HasSubstr("it starts with 'RIFF....WAVE'"));
}

TEST(Picture, APngOrWebpWithoutAHeaderIsBroken) {
  EXPECT_EQ(decode_error(std::string("\x89PNG\r\n\x1a\n", 8)),
            "the PNG is broken or cut short: it has only 8 bytes");
  EXPECT_EQ(decode_error("RIFF....WEBP"),
            "the WebP is broken or cut short: its header cannot be read");
  EXPECT_EQ(decode_error(std::string("RIFF\x10\0\0\0WEBPrubbishrubbish", 26)),
            "the WebP is broken or cut short: its header cannot be read");
}

TEST(Picture, AWebpWhosePixelsEndIsBroken) {
  const auto whole = golden("lossy.webp");
  EXPECT_EQ(decode_error(whole.substr(0, whole.size() / 2)),
            "the WebP is broken or cut short: its pixels cannot be read");
}

TEST(Picture, MemoryOfAnEarlierOneChangesNothing) {
  for (const std::string file : {"colour.jpg", "cmyk.jpg", "exif6.jpg", "colour.png"}) {
    SCOPED_TRACE(file);
    const auto expected = decode(golden(file));
    for (const std::size_t left : {0UL, 10UL, 100000UL}) {
      std::vector<uint8_t> memory(left, 99);
      DecodeRequest request;
      request.memory = &memory;
      EXPECT_EQ(decode(golden(file), request).pixels, expected.pixels);
    }
  }
}

TEST(Picture, GreyStaysGreyWhereThatIsAsked) {
  for (const std::string file : {"grey.jpg", "grey.png", "grey16.png"}) {
    SCOPED_TRACE(file);
    const auto grey = decode(golden(file), {/*channels=*/1}), colour = decode(golden(file));
    EXPECT_EQ(grey.channels, 1);
    EXPECT_EQ(colour.channels, 3);
    ASSERT_EQ(3 * grey.pixels.size(), colour.pixels.size());
    for (std::size_t i = 0; i < colour.pixels.size(); ++i)
      ASSERT_EQ(colour.pixels[i], grey.pixels[i / 3]);
  }
}

// value = colour * opacity / 255 + 255 * (255 - opacity) / 255, rounded.
TEST(Picture, TransparentPartsBecomeWhite) {
  std::string row(1, '\0');  // the filter of the row: none
  for (const int opacity : {0, 128, 255})
    row += std::string("\x64\x00\xff", 3) + static_cast<char>(opacity);
  auto size = compressBound(row.size());
  std::string data(size, '\0');
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(data.data()), &size,
                     reinterpret_cast<const Bytef*>(row.data()), row.size()),
            Z_OK);
  data.resize(size);
  const auto bytes =
      std::string("\x89PNG\r\n\x1a\n") +
      png_chunk("IHDR", big_endian(3) + big_endian(1) + std::string("\x08\x06\0\0\0", 5)) +
      png_chunk("IDAT", data) + png_chunk("IEND", "");
  EXPECT_EQ(decode(bytes).pixels,
            (std::vector<uint8_t>{255, 255, 255, 177, 127, 255, 100, 0, 255}));
}

TEST(Picture, ALittleDamageToTheColoursOfAPngIsNoticed) {
  auto bytes = golden("colour.png");
  const auto at = bytes.find("IDAT");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 20] = static_cast<char>(bytes[at + 20] ^ 1);
  EXPECT_THAT(decode_error(bytes), HasSubstr("the PNG is broken or cut short: "));
}

// Some cameras and editors leave bytes between the parts of a JPEG that mean nothing.
TEST(Picture, BytesThatNobodyNeedsAreNoDamage) {
  const auto whole = golden("colour.jpg");
  const auto frame = whole.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  EXPECT_EQ(decode(whole.substr(0, frame) + "abc" + whole.substr(frame)).pixels,
            decode(whole).pixels);
  EXPECT_EQ(decode(whole + "and more behind its end").pixels, decode(whole).pixels);
}

TEST(Picture, ADamagedNoteBesideThePixelsOfAPngIsNoDamage) {
  const auto whole = golden("colour.png");
  auto note = png_chunk("tEXt", std::string("Title\0mine", 10));
  note.back() = static_cast<char>(note.back() ^ 1);  // in its checksum
  const auto pixels = whole.find("IDAT") - 4;
  EXPECT_EQ(decode(whole.substr(0, pixels) + note + whole.substr(pixels)).pixels,
            decode(whole).pixels);
}

}  // namespace
}  // namespace penumbra
