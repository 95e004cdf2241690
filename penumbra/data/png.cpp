// PNG by libpng. Its simplified interface would treat 16 bits as linear light, which other
// readers do not, so the full one is used; like libjpeg it leaves by a jump.

#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "penumbra/core/error.h"
#include "penumbra/core/file.h"
#include "penumbra/data/orientation.h"
#include "penumbra/data/picture_formats.h"

namespace penumbra {
namespace {

constexpr std::size_t kMostShrinking = 1032;

struct Session {
  const uint8_t* bytes;
  std::size_t left;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::vector<png_bytep> rows{};
  std::jmp_buf escape{};
  char message[128] = {};
  bool no_memory = false;

  ~Session() { png_destroy_read_struct(&png, &info, nullptr); }
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto& session = *static_cast<Session*>(png_get_error_ptr(png));
  std::snprintf(session.message, sizeof session.message, "%s", message);
  std::longjmp(session.escape, 1);
}

void on_warning(png_structp, png_const_charp) {}  // about colour profiles and the like

// That memory ran out cannot be told from what libpng says.
png_voidp take_memory(png_structp png, png_alloc_size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) static_cast<Session*>(png_get_mem_ptr(png))->no_memory = true;
  return memory;
}

void read_bytes(png_structp png, png_bytep to, std::size_t size) {
  auto& session = *static_cast<Session*>(png_get_io_ptr(png));
  if (size > session.left) png_error(png, "it ends too early");
  std::memcpy(to, session.bytes, size);
  session.bytes += size;
  session.left -= size;
}

// libpng takes memory for as much as a block claims to have, before it reads it: up to 2 GB for a
// file of fifty bytes. Blocks are [length, 4] [name, 4] [data] [sum, 4] behind a signature of
// eight.
void check_blocks(const uint8_t* bytes, std::size_t size) {
  for (std::size_t at = 8; at + 8 <= size;) {
    const std::size_t length = png_get_uint_32(bytes + at);
    if (std::memcmp(bytes + at + 4, "IDAT", 4) == 0) return;  // these are read piece by piece
    if (length > size - at - 8)
      fail("the PNG is broken or cut short: a block claims ", length, " bytes, the file has ",
           size - at - 8, " left");
    at += length + 12;
  }
}

// Notes and colour profiles are passed over unread: of half a megabyte libpng would inflate and
// keep half a gigabyte. The limits are for kinds that only a later libpng knows; a larger EXIF
// block is read all the same.
void leave_out_notes(png_structp png) {
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, /*num_chunks=*/-1);
  constexpr png_byte kExif[] = {'e', 'X', 'I', 'f', 0};
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_AS_DEFAULT, kExif, /*num_chunks=*/1);
  png_set_chunk_malloc_max(png, 1 << 20);
  png_set_chunk_cache_max(png, 16);
}

void read_header(Session& session) {
  session.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &session, on_error, on_warning,
                                         &session, take_memory, nullptr);
  if (session.png == nullptr) return;
  session.info = png_create_info_struct(session.png);
  if (session.info == nullptr) return;
  png_set_read_fn(session.png, &session, read_bytes);
  leave_out_notes(session.png);
  png_read_info(session.png, session.info);
}

// Only where it stands before the pixels, as writers put it.
int orientation(const Session& session) {
  png_uint_32 size = 0;
  png_bytep bytes = nullptr;
  if (png_get_eXIf_1(session.png, session.info, &size, &bytes) == 0) return 1;
  return exif_orientation(bytes, size);
}

// Whatever the file has becomes 8 bits of grey, RGB or RGB with opacity.
void start(Session& session, Picture& picture) {
  png_set_expand(session.png);
  png_set_strip_16(session.png);
  const auto colours = png_get_color_type(session.png, session.info);
  const bool opacity = (colours & PNG_COLOR_MASK_ALPHA) != 0 ||
                       png_get_valid(session.png, session.info, PNG_INFO_tRNS) != 0;
  if (opacity) png_set_gray_to_rgb(session.png);
  png_set_interlace_handling(session.png);
  png_read_update_info(session.png, session.info);
  picture.channels = png_get_channels(session.png, session.info);
}

}  // namespace

Decoded decode_png(const uint8_t* bytes, std::size_t size, const DecodeRequest& request) {
  Decoded decoded;
  auto& picture = decoded.picture;
  // Signature (8), length (4), "IHDR" (4), width (4), height (4): looked at first, because
  // libpng's message would not name the size.
  if (size < 24) fail("the PNG is broken or cut short: it has only ", size, " bytes");
  check_picture_size(png_get_uint_32(bytes + 16), png_get_uint_32(bytes + 20));

  check_blocks(bytes, size);
  Session session{bytes, size};
  if (setjmp(session.escape) != 0) {
    if (session.no_memory) throw std::bad_alloc();
    fail("the PNG is broken or cut short: ", session.message);
  }
  read_header(session);
  if (session.info == nullptr || session.no_memory) throw std::bad_alloc();
  picture.height = static_cast<int>(png_get_image_height(session.png, session.info));
  picture.width = static_cast<int>(png_get_image_width(session.png, session.info));
  decoded.orientation = orientation(session);
  if (request.header_only) return decoded;

  // Deflate cannot shrink by more than 1032: a file that claims more rows lies, which is found out
  // before any memory is asked for. An interlaced one has a few bytes more, never fewer.
  const auto raw = png_get_rowbytes(session.png, session.info);  // as in the file
  if (static_cast<std::size_t>(picture.height) * raw > kMostShrinking * size)
    fail("the PNG is broken or cut short: ", size, " bytes cannot hold ", picture.width, " x ",
         picture.height, " pixels");
  start(session, picture);
  const auto stride = png_get_rowbytes(session.png, session.info);
  picture.pixels.resize(static_cast<std::size_t>(picture.height) * stride);
  for (std::size_t y = 0; y < static_cast<std::size_t>(picture.height); ++y)
    session.rows.push_back(picture.pixels.data() + y * stride);
  png_read_image(session.png, session.rows.data());
  png_read_end(session.png, nullptr);  // the end must be there too
  return decoded;
}

void encode_png(const std::filesystem::path& path, const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = picture.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<uint8_t> bytes(size);
  if (png_image_write_to_memory(&image, bytes.data(), &size, /*convert_to_8_bit=*/0,
                                picture.pixels.data(), /*row_stride=*/0, nullptr) == 0)
    fail("cannot write ", path.string(), ": ", image.message);
  AtomicFile file(path);
  file.write(bytes.data(), size);
  file.commit();
}

}  // namespace penumbra
