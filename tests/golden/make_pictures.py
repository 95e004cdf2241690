#!/usr/bin/env python3
"""Write small pictures of every kind, and what PIL makes of them, to tests/golden/pictures.

Each picture NAME.EXT comes with NAME.EXT.rgb, its pixels as [H, W, 3] bytes; index.csv lists
file, width, height and the largest difference that a test may allow. Run with Debian's
python3-pil and python3-numpy.
"""
import pathlib
import struct
import zlib

import numpy as np
from PIL import Image, ImageOps

folder = pathlib.Path(__file__).parent / "pictures"
folder.mkdir(exist_ok=True)
index = []


def scene(width, height, seed=0):
    """Slopes, an edge, waves and some noise, like a photograph in small."""
    y, x = np.mgrid[0:height, 0:width]
    rng = np.random.default_rng(seed)
    red = 255 * x / (width - 1)
    green = 127 + 100 * np.sin(x / 3.0) * np.cos(y / 4.0)
    blue = np.where(x * height > y * width, 220, 30)
    picture = np.stack([red, green, blue], 2) + rng.normal(0, 6, (height, width, 3))
    return np.clip(picture, 0, 255).astype(np.uint8)


def add(name, tolerance, expected=None):
    """Record the file just written; `expected` where PIL's own reading is not what we promise."""
    if expected is None:
        with Image.open(folder / name) as image:
            image.load()
            if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
                image = image.convert("RGBA")
                white = Image.new("RGBA", image.size, "white")
                image = Image.alpha_composite(white, image)
            expected = np.asarray(image.convert("RGB"))
    (folder / f"{name}.rgb").write_bytes(np.ascontiguousarray(expected).tobytes())
    index.append(f"{name},{expected.shape[1]},{expected.shape[0]},{tolerance}")


def write_png(name, pixels, interlaced):
    """RGB of 8 or 16 bits, without filters: PIL writes neither 16 bits of colour nor interlacing."""
    height, width, _ = pixels.shape
    passes = [(0, 0, 1, 1)]
    if interlaced:  # Adam7: first column, first row, steps
        passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = b""
    for x, y, across, down in passes:
        for row in pixels[y::down, x::across]:
            rows += b"\0" + row.astype(pixels.dtype.newbyteorder(">")).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8 * pixels.itemsize, 2, 0, 0, interlaced)
    content = b"\x89PNG\r\n\x1a\n"
    for kind, data in ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")):
        content += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    (folder / name).write_bytes(content)


photo = scene(24, 16)
image = Image.fromarray(photo)

# JPEG: another version of the library may round differently, hence 2.
image.save(folder / "colour.jpg", quality=90)
add("colour.jpg", 2)
image.save(folder / "progressive.jpg", quality=85, progressive=True, subsampling=2)
add("progressive.jpg", 2)
image.convert("L").save(folder / "grey.jpg", quality=90)
add("grey.jpg", 2)
image.convert("CMYK").save(folder / "cmyk.jpg", quality=95)
add("cmyk.jpg", 2)

# EXIF 1..8: the upright picture is what ImageOps.exif_transpose gives.
for orientation in range(1, 9):
    exif = Image.Exif()
    exif[0x0112] = orientation
    for name, options in (("jpg", {"quality": 90}), ("png", {}), ("webp", {"lossless": True})):
        if name != "jpg" and orientation != 6:
            continue
        file = f"exif{orientation}.{name}"
        image.save(folder / file, exif=exif.tobytes(), **options)
        with Image.open(folder / file) as stored:
            add(file, 2 if name == "jpg" else 0, np.asarray(ImageOps.exif_transpose(stored).convert("RGB")))

# PNG is exact; opacity allows one level of rounding.
image.save(folder / "colour.png")
add("colour.png", 0)
image.convert("L").save(folder / "grey.png")
add("grey.png", 0)
image.convert("1").save(folder / "bits.png")
add("bits.png", 0)
image.quantize(16).save(folder / "palette.png")
add("palette.png", 0)
transparent = image.quantize(16)
transparent.save(folder / "palette_alpha.png", transparency=3)
add("palette_alpha.png", 1)
opacity = Image.fromarray(np.linspace(0, 255, 24 * 16).reshape(16, 24).astype(np.uint8))
rgba = image.copy()
rgba.putalpha(opacity)
rgba.save(folder / "alpha.png")
add("alpha.png", 1)
grey_alpha = image.convert("L")
grey_alpha.putalpha(opacity)
grey_alpha.save(folder / "grey_alpha.png")
add("grey_alpha.png", 1)
# 16 bits: the upper byte. PIL would clip a grey one at 255, so the expectation is made by numpy.
deep = (photo[:, :, 1].astype(np.uint16) << 8) | 0xC3
Image.fromarray(deep).save(folder / "grey16.png")
add("grey16.png", 0, np.repeat((deep >> 8).astype(np.uint8)[:, :, None], 3, 2))
write_png("colour16.png", (photo.astype(np.uint16) << 8) | 0xC3, interlaced=False)
add("colour16.png", 0, photo)
write_png("interlaced.png", photo, interlaced=True)
add("interlaced.png", 0)

# WebP, lossy and lossless, with and without opacity.
image.save(folder / "lossy.webp", quality=80)
add("lossy.webp", 2)
image.save(folder / "lossless.webp", lossless=True)
add("lossless.webp", 0)
rgba.save(folder / "alpha.webp", lossless=True, exact=True)
add("alpha.webp", 1)
image.save(folder / "animated.webp", save_all=True, append_images=[image.rotate(90)], duration=50)

(folder / "index.csv").write_text("\n".join(index) + "\n")

# Resizing: crop is the middle square, stretch is everything.
rows = []
for name, width, height in (("wide.png", 97, 61), ("tall.png", 50, 83)):
    source = Image.fromarray(scene(width, height, seed=1))
    source.save(folder / name)
    short = min(width, height)
    left, top = (width - short) / 2, (height - short) / 2
    for fit, box in (("crop", (left, top, left + short, top + short)), ("stretch", None)):
        for size in (16, 33, 100):
            result = source.resize((size, size), Image.BILINEAR, box=box)
            file = f"{name}.{fit}{size}.rgb"
            if size == 100:  # enough of the enlarged picture to see that it is right
                result = result.crop((0, 40, 100, 50))
            (folder / file).write_bytes(result.tobytes())
            rows.append(f"{name},{fit},{size},{file}")
(folder / "resize.csv").write_text("\n".join(rows) + "\n")
