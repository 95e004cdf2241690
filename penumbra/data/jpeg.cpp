// JPEG by libjpeg-turbo. It reports errors through a jump, so that the functions between
// setjmp and the library hold nothing that would need a destructor.

#include <csetjmp>
#include <cstdio>

#include <jpeglib.h>  // after <cstdio>, which it needs

#include <jerror.h>

#include <algorithm>
#include <new>

#include "penumbra/core/error.h"
#include "penumbra/data/orientation.h"
#include "penumbra/data/picture_formats.h"

namespace penumbra {
namespace {

// A progressive file of a few bytes can ask for thousands of passes over the picture.
constexpr int kMostScans = 500;

struct Session {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf escape{};
  char message[JMSG_LENGTH_MAX] = {};
  int code = 0;

  ~Session() { jpeg_destroy_decompress(&jpeg); }
};

[[noreturn]] void escape(j_common_ptr jpeg) {
  auto& session = *static_cast<Session*>(jpeg->client_data);
  session.code = jpeg->err->msg_code;
  jpeg->err->format_message(jpeg, session.message);
  std::longjmp(session.escape, 1);
}

// Many cameras leave bytes that nobody needs; those warnings are let pass. The others mean
// that the decoder goes on with invented pixels.
void on_warning(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  switch (jpeg->err->msg_code) {
    case JWRN_ADOBE_XFORM:
    case JWRN_BOGUS_ICC:
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_NOT_SEQUENTIAL:
    case JWRN_TOO_MUCH_DATA:
      return;
    default:
      escape(jpeg);
  }
}

void on_progress(j_common_ptr jpeg) {
  if (!jpeg->is_decompressor) return;
  if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= kMostScans) return;
  auto& session = *static_cast<Session*>(jpeg->client_data);
  std::snprintf(session.message, sizeof session.message, "more than %d scans", kMostScans);
  std::longjmp(session.escape, 1);
}

void read_header(Session& session, const uint8_t* bytes, std::size_t size) {
  auto& jpeg = session.jpeg;
  jpeg.err = jpeg_std_error(&session.errors);
  session.errors.error_exit = escape;
  session.errors.emit_message = on_warning;
  jpeg.client_data = &session;
  jpeg_create_decompress(&jpeg);
  session.progress.progress_monitor = on_progress;
  jpeg.progress = &session.progress;
  jpeg_mem_src(&jpeg, bytes, size);
  jpeg_save_markers(&jpeg, JPEG_APP0 + 1, 0xffff);  // EXIF
  jpeg_read_header(&jpeg, TRUE);
}

int orientation(const jpeg_decompress_struct& jpeg) {
  for (const auto* marker = jpeg.marker_list; marker != nullptr; marker = marker->next)
    if (const int found = exif_orientation(marker->data, marker->data_length); found != 1)
      return found;
  return 1;
}

// The decoder can leave out high frequencies: a half, a quarter or an eighth of the size for
// less work. Twice the wanted size stays, for the resize to filter.
unsigned reduction(const jpeg_decompress_struct& jpeg, int short_side) {
  if (short_side <= 0) return 1;
  const auto shorter = std::min(jpeg.image_width, jpeg.image_height);
  unsigned factor = 8;
  while (factor > 1 && shorter / factor < 2 * static_cast<unsigned>(short_side)) factor /= 2;
  return factor;
}

void start(Session& session, const DecodeRequest& request, Picture& picture) {
  auto& jpeg = session.jpeg;
  const bool four = jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
  jpeg.out_color_space = four ? JCS_CMYK : request.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg.scale_num = 1;
  jpeg.scale_denom = reduction(jpeg, request.short_side);
  jpeg_start_decompress(&jpeg);
  picture.height = static_cast<int>(jpeg.output_height);
  picture.width = static_cast<int>(jpeg.output_width);
  picture.channels = jpeg.output_components;
}

void read_rows(Session& session, Picture& picture) {
  auto& jpeg = session.jpeg;
  const auto stride =
      static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.channels);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = picture.pixels.data() + jpeg.output_scanline * stride;
    jpeg_read_scanlines(&jpeg, &row, 1);
  }
}

// Ink to light: red = (255 - cyan) (255 - black) / 255. Files hold 255 - ink, as Adobe's do.
void ink_to_light(Picture& picture) {
  const auto* from = picture.pixels.data();
  auto* to = picture.pixels.data();
  const auto n = picture.pixels.size() / 4;
  for (std::size_t i = 0; i < n; ++i, from += 4) {
    const int light = from[3];
    for (int c = 0; c < 3; ++c) *to++ = static_cast<uint8_t>((from[c] * light + 127) / 255);
  }
  picture.pixels.resize(3 * n);
  picture.channels = 3;
}

}  // namespace

Decoded decode_jpeg(const uint8_t* bytes, std::size_t size, const DecodeRequest& request) {
  Decoded decoded;
  auto& picture = decoded.picture;
  Session session;
  if (setjmp(session.escape) != 0) {
    if (session.code == JERR_OUT_OF_MEMORY) throw std::bad_alloc();
    if (session.code == JERR_EMPTY_IMAGE)
      check_picture_size(session.jpeg.image_width, session.jpeg.image_height);
    fail("the JPEG is broken or cut short: ", session.message);
  }
  read_header(session, bytes, size);
  check_picture_size(session.jpeg.image_width, session.jpeg.image_height);
  decoded.orientation = orientation(session.jpeg);
  if (request.header_only) {
    picture.height = static_cast<int>(session.jpeg.image_height);
    picture.width = static_cast<int>(session.jpeg.image_width);
    return decoded;
  }
  start(session, request, picture);
  if (request.memory != nullptr) picture.pixels = std::move(*request.memory);
  picture.pixels.resize(static_cast<std::size_t>(picture.height) *
                        static_cast<std::size_t>(picture.width) *
                        static_cast<std::size_t>(picture.channels));
  read_rows(session, picture);
  if (picture.channels == 4) ink_to_light(picture);
  return decoded;
}

}  // namespace penumbra
