#!/usr/bin/env python3
"""Print a safetensors file as JSON, read by the format's description and nothing else."""
import json, struct, sys

FORMATS = {"F64": "d", "F32": "f", "F16": "e", "I64": "q", "I32": "i", "I16": "h", "I8": "b",
           "U8": "B", "BOOL": "?", "BF16": "H"}
with open(sys.argv[1], "rb") as file:
    header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
    data = file.read()
out = {"metadata": header.pop("__metadata__", {}), "tensors": {}}
for name, entry in header.items():
    begin, end = entry["data_offsets"]
    values = [v[0] for v in struct.iter_unpack("<" + FORMATS[entry["dtype"]], data[begin:end])]
    if entry["dtype"] == "BF16":  # the upper half of a float32
        values = [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in values]
    out["tensors"][name] = {"dtype": entry["dtype"], "shape": entry["shape"], "values": values}
json.dump(out, sys.stdout)
