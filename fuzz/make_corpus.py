#!/usr/bin/python3
"""Small honest files from which the fuzzer starts, by writers other than ours: make_corpus.py FOLDER"""
import gzip
import io
import json
import pathlib
import struct
import sys

import numpy
from PIL import Image
from scipy.io import savemat

root = pathlib.Path(sys.argv[1])


def put(target, name, content):
    path = root / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def saved(writer, *arguments, **options):
    file = io.BytesIO()
    writer(file, *arguments, **options)
    return file.getvalue()


put("records", "two_small", b"\0" + bytes(range(13)) + bytes(range(1, 14)))
put("records", "grey", b"\7" + bytes([0, 9]) + bytes(32 * 32))
put("records", "cut", b"\1" + bytes(20))

pixels = struct.pack(">4sIII", b"\0\0\x08\x03", 2, 3, 4) + bytes(range(24))
labels = struct.pack(">4sI", b"\0\0\x08\x01", 2) + b"\1\2"
for name, first, second in (("plain", pixels, labels),
                            ("zipped", gzip.compress(pixels, mtime=0), gzip.compress(labels, mtime=0))):
    put("idx", name, struct.pack("<H", len(first)) + first + second)
# No pictures, with sides whose product cannot be counted.
nothing = struct.pack(">4sIII", b"\0\0\x08\x03", 0, 0xffffffff, 0xffffffff)
put("idx", "no_pictures", struct.pack("<H", len(nothing)) + nothing + struct.pack(">4sI", b"\0\0\x08\x01", 0))

images = numpy.arange(4 * 4 * 3 * 2, dtype=numpy.uint8).reshape(4, 4, 3, 2)
for compress in (False, True):
    for kind in (numpy.uint8, numpy.float64):
        variables = {"X": images, "y": numpy.array([[1], [10]], kind)}
        put("matlab", f"{'zipped' if compress else 'plain'}_{kind.__name__}",
            saved(savemat, variables, do_compression=compress))

colour = Image.fromarray(numpy.arange(9 * 7 * 3, dtype=numpy.uint8).reshape(9, 7, 3))
turned = Image.Exif()
turned[0x0112] = 6
for mode in ("RGB", "L", "RGBA", "P", "1", "I;16", "LA"):
    picture = colour.convert("I") if mode == "I;16" else colour.convert(mode)
    put("picture", f"png_{mode.replace(';', '_')}", saved(picture.save, "PNG"))
for mode in ("RGB", "L", "CMYK"):
    put("picture", f"jpeg_{mode}", saved(colour.convert(mode).save, "JPEG", exif=turned))
put("picture", "jpeg_progressive", saved(colour.save, "JPEG", progressive=True))
put("picture", "png_turned", saved(colour.save, "PNG", exif=turned))
# A block of EXIF data that claims to have 950 MB.
put("picture", "png_large_block", bytes.fromhex("89504e470d0a1a0a0000000d4948445200000007000000090802000000713aa1f4"
                                                "3900001a655849660000d61a4b6900000015494441546082"))
put("picture", "webp", saved(colour.save, "WEBP", exif=turned))
put("picture", "webp_lossless", saved(colour.convert("RGBA").save, "WEBP", lossless=True))

put("labels_file", "plain", b"file,label\na.png,cat\nb/c.png,dog\n")
put("labels_file", "quoted", "\ufefflabel,size,file\r\n\"a \"\"b\"\"\",3,\"x, y.jpg\"\r\n,,z.png\r\n".encode())

put("split_file", "numbers", b"0index,part,file\n1,labelled,\n2,unlabelled,\n3,validation,\n4,test,\n0,unlabelled,\n")
put("split_file", "names", b"1index,part,file\n1,labelled,b.png\n2,unlabelled,c/d.png\n7,test,i,j\n")

put("config", "sections", b"# a run\n[run]\ndata = \"blobs\"\nseed = 3\n[train]\nlr = 0.1\nlist = [1, 2]\n")
put("config", "dotted", b"train.lr = 1e-3\nmethod = { name = \"fixmatch\", on = true }\nt = 1979-05-27T07:32:00Z\n")

put("sweep", "grid", b'[sweep]\nout = "runs/t"\nresults = "t.jsonl"\n[grid]\n"run.method" = ["uda", "fixmatch"]\n'
    b'run.seed = [0, 1]\n[set]\n"run.data" = "blobs"\n[published]\n"uda" = 95.5\n')
put("sweep", "arms", b'[grid]\n"run.labels" = [40, 4e2]\n[arms.a]\n"run.data" = "blobs"\n'
    b'[arms."b c"]\nrun.data = "mnist"\n')

put("results", "sweep", b'{"name":"uda-seed0","run.method":"uda","run.seed":"0","accuracy":0.5,"seconds":3}\n\n'
    b'{"name":"uda-seed1","accuracy":1}\n')
put("results", "metrics", b'{"step":1,"seconds":0.5,"loss":2.5,"validation/accuracy":0.25}\n{"step":2,"loss":1e999}\n'
    b'{"step":20,"loss":-1}\n{"step":3,"lo')
put("results", "nested", b'{"step":1,"name":"a","accuracy":1,"x":' + b"[" * 20000 + b"]" * 20000 + b"}\n")

put("config", "quoted", b"[\"a.b\".'c']\nx = {a.a = 0.5, b = [1.5, 2.5]} # ...\nt = \"\"\"\n..\\\"\"\"\"\"\ny = ''\n")

header = json.dumps({"__metadata__": {"facts": "{}"},
                     "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
                     "b": {"dtype": "BF16", "shape": [], "data_offsets": [16, 18]},
                     "c": {"dtype": "I64", "shape": [0, 3], "data_offsets": [18, 18]}}).encode()
put("safetensors", "three", struct.pack("<Q", len(header)) + header + bytes(18))
put("checkpoint", "facts", b'{"step": 12, "best_accuracy": 0.5, "best_step": 8, "seconds": 1.5, "phase": 0, '
    b'"surveyed": 1, "policy": {"weights": [1, 2.5]}, "fingerprint": "", "steps": 40, "progress": 0.3, "origin": 4, '
    b'"behind": 0.1}')

# The backbone "tiny" of one channel, two classes and a head.
def norm(name, size):
    return {**{f"{name}.{part}": [size] for part in ("weight", "bias", "running_mean", "running_var")},
            f"{name}.num_batches_tracked": []}


def model(uncertainty, tensors):
    shapes = {"conv1.weight": [1, 1, 3, 3], **norm("bn1", 1), "conv2.weight": [2, 1, 3, 3], **norm("bn2", 2),
              "fc.weight": [2, 2], "fc.bias": [2], "heads.variance.weight": [2, 2], "heads.variance.bias": [2],
              **{f"uncertainty.{name}": shape for name, shape in tensors.items()}}
    description = {"version": 1, "backbone": "tiny", "options": {"width": "1"}, "input": [1, 4, 4], "fit": "crop",
                   "mean": [0.5], "std": [0.25], "heads": [{"name": "variance", "outputs": 2, "bias": True}],
                   "facts": {}, "uncertainty": uncertainty}
    header = {"__metadata__": {"penumbra": json.dumps(description), "classes": json.dumps(["a", "b"])}}
    end = 0
    for name, shape in shapes.items():
        kind, width = ("I64", 8) if name.endswith("tracked") else ("F32", 4)
        begin, end = end, end + width * int(numpy.prod(shape))
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}
    header = json.dumps(header).encode()
    return struct.pack("<Q", len(header)) + header + bytes(end)


put("model", "tiny", model(None, {"epistemic_scores": [3]}))
for estimator, learnt in (("mahalanobis", {"estimator.whiten": [2, 2], "estimator.centres": [2, 2]}),
                          ("knn", {"estimator.features": [3, 2]})):
    judge = {"estimator": estimator, "options": {}, "variance_head": "log", "has_variance": True, "temperature": 1.5,
             "ambiguous": 0.9, "ambiguous_entropy": 0.5, "unfamiliar": 0.95, "sure": 0.7}
    put("model", estimator, model(judge, {"epistemic_scores": [3], "variance_scores": [3],
                                          "certificates.certificates": [1, 2], **learnt}))

# Two pictures of 2 x 2 and one that was skipped; layout in penumbra/data/packed.h.
head = b"penpack\n" + struct.pack("<QQQQQ", 1, 1, 2, 2, 3)
counts, name_bytes = (1, 1, 0), (1, 2, 0)
head += struct.pack("<3Q", *counts) + struct.pack("<3Q", *name_bytes) + struct.pack("<QQ", 1, 3)
body = bytes(3 * 12) + bytes(4)  # pixels, then up to a multiple of 8
body += struct.pack("<qqQQQQ", 0, -1, 1, 2, 1, 3) + b"a" + b"bc" + b"xyz"
put("packed", "two", head.ljust(4096, b"\0") + body)
