#!/usr/bin/python3
"""Write augment.json and augment.bin: what PIL makes of real pictures.

augment.bin holds pictures one after the other as uint8 HWC. augment.json says where:
  pictures  name, height, width, channels and offset of each input
  cases     operation, its value (and choice: the resize filter), the input's name, the
            interpolation, and the offset of PIL's result
Run: PENUMBRA_TEST_DATA=... ./make_augment.py    (Debian's python3-pil 9.4)
"""
import json
import os
import pathlib

import numpy as np
from PIL import Image, ImageEnhance, ImageFilter, ImageOps

HERE = pathlib.Path(__file__).parent
FILTERS = [Image.LANCZOS, Image.BICUBIC, Image.BILINEAR, Image.BOX, Image.HAMMING, Image.NEAREST]
RESAMPLE = {"nearest": Image.NEAREST, "bilinear": Image.BILINEAR}


def cifar(record):
    path = pathlib.Path(os.environ["PENUMBRA_TEST_DATA"]) / "cifar-10-batches-bin/data_batch_1.bin"
    bytes_ = np.fromfile(path, np.uint8, 3073, offset=record * 3073)
    return Image.fromarray(bytes_[1:].reshape(3, 32, 32).transpose(1, 2, 0).copy())


def affine(image, matrix, resample):
    return image.transform(image.size, Image.AFFINE, matrix, RESAMPLE[resample])


def rescale(image, margin, choice):
    width, height = image.size
    box = (margin * width, margin * height, width * (1 - margin), height * (1 - margin))
    return image.crop(box).resize(image.size, FILTERS[choice])


def run(image, operation, value, choice, resample):
    def mixed(other):
        return Image.blend(image, other, value)

    return {
        "autocontrast": lambda: mixed(ImageOps.autocontrast(image)),
        "blur": lambda: mixed(image.filter(ImageFilter.BLUR)),
        "brightness": lambda: ImageEnhance.Brightness(image).enhance(value),
        "colour": lambda: ImageEnhance.Color(image).enhance(value),
        "contrast": lambda: ImageEnhance.Contrast(image).enhance(value),
        "equalize": lambda: mixed(ImageOps.equalize(image)),
        "identity": lambda: image,
        "invert": lambda: mixed(ImageOps.invert(image)),
        "posterize": lambda: ImageOps.posterize(image, value),
        "rescale": lambda: rescale(image, value, choice),
        "rotate": lambda: image.rotate(value, RESAMPLE[resample]),
        "sharpness": lambda: ImageEnhance.Sharpness(image).enhance(value),
        "shear_x": lambda: affine(image, (1, value, 0, 0, 1, 0), resample),
        "shear_y": lambda: affine(image, (1, 0, 0, value, 1, 0), resample),
        "smooth": lambda: mixed(image.filter(ImageFilter.SMOOTH)),
        "solarize": lambda: ImageOps.solarize(image, value),
        "translate_x": lambda: affine(image, (1, 0, value, 0, 1, 0), resample),
        "translate_y": lambda: affine(image, (1, 0, 0, 0, 1, value), resample),
    }[operation]()


# operation: its values on the colour picture; the first ones also on the others
GRID = {
    "autocontrast": [1, 0.4],
    "blur": [1, 0.3],
    "brightness": [0.05, 1.7],
    "colour": [0.14, 0.77, 2.0],
    "contrast": [0.14, 0.5, 1.9],
    "equalize": [1, 0.6],
    "identity": [0],
    "invert": [1, 0.2],
    "posterize": [4, 1, 7],
    "rotate": [21, -3, -27.5],
    "sharpness": [0.05, 0.6, 1.95],
    "shear_x": [0.27, -0.03, -0.3],
    "shear_y": [-0.18, 0.3, 0.06],
    "smooth": [1, 0.5],
    "solarize": [128, 40.5, 256],
    "translate_x": [9, -2, -9.5],
    "translate_y": [-7, 3.4, 9.6],
}
GEOMETRIC = {"rotate", "shear_x", "shear_y", "translate_x", "translate_y"}


def cases():
    for operation, values in GRID.items():
        for number, value in enumerate(values):
            yield "colour", operation, value, 0, "nearest"
            if number == 0:
                yield "odd", operation, value, 0, "nearest"
            if number < 2:
                yield "grey", operation, value, 0, "nearest"
        if operation in GEOMETRIC:
            yield "colour", operation, values[1] / 3, 0, "bilinear"
            yield "odd", operation, values[0] / 3, 0, "bilinear"
            yield "grey", operation, values[0], 0, "bilinear"
    for choice in range(len(FILTERS)):
        yield "colour", "rescale", 0.2, choice, "nearest"
        if choice % 2 == 0:
            yield "odd", "rescale", 0.07, choice, "nearest"
        yield "grey", "rescale", 0.25, choice, "nearest"


def main():
    pictures = {"colour": cifar(4), "odd": cifar(11).resize((37, 29), Image.BICUBIC),
                "grey": cifar(7).convert("L")}
    blob, index = bytearray(), {"pictures": [], "cases": []}

    def put(image):
        blob.extend(np.asarray(image).tobytes())
        return len(blob) - image.width * image.height * len(image.getbands())

    for name, image in pictures.items():
        index["pictures"].append({"name": name, "height": image.height, "width": image.width,
                                  "channels": len(image.getbands()), "offset": put(image)})
    for name, operation, value, choice, resample in cases():
        result = run(pictures[name], operation, value, choice, resample)
        index["cases"].append({"picture": name, "operation": operation, "value": value,
                               "choice": choice, "interpolation": resample, "offset": put(result)})
    (HERE / "augment.bin").write_bytes(blob)
    lines = ",\n  ".join(json.dumps(case) for case in index["cases"])
    inputs = ",\n  ".join(json.dumps(picture) for picture in index["pictures"])
    (HERE / "augment.json").write_text(
        f'{{"pictures": [\n  {inputs}],\n "cases": [\n  {lines}]}}\n')
    print(len(index["cases"]), "cases,", len(blob), "bytes")


main()
