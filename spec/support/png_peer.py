"""png_peer.py make FOLDER | make_stored FOLDER | read FILE: PNG pictures, written and read without LuaCUDA.

make: one picture for each color type, depth and way of interlacing, with random pixels, random
filters and random pieces of data, named COLOR_DEPTH_INTERLACED_WIDTHxHEIGHT[_t].png; beside it a
file .raw with the samples that a reader should give: bytes, or 16 bits in this machine's order.
make_stored: the same without compression.
read: prints "WIDTH HEIGHT DEPTH COLOR FILTERS", then the samples of a file in hexadecimal.
"""
import os
import random
import struct
import sys
import zlib

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def predict(kind, row, up, i, step):
    a = row[i - step] if i >= step else 0
    b = up[i]
    c = up[i - step] if i >= step else 0
    p = a + b - c
    paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
    return [0, a, b, (a + b) // 2, paeth][kind]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def row_bytes(pixels, depth):
    """The samples of a row of pixels as they stand in a file."""
    if depth == 16:
        return b"".join(struct.pack(">H", s) for p in pixels for s in p)
    bits = "".join(format(s, f"0{depth}b") for p in pixels for s in p)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def filtered(rows, step):
    out, up = b"", None
    for row in rows:
        up = up or bytes(len(row))
        kind = random.randrange(5)
        out += bytes([kind]) + bytes((row[i] - predict(kind, row, up, i, step)) & 255 for i in range(len(row)))
        up = row
    return out


def picture(color, depth, interlaced, width, height, transparent, compression):
    """The file's bytes and the samples that a reader gives."""
    n, most = CHANNELS[color], (1 << depth) - 1
    palette = [tuple(random.randrange(256) for _ in "rgb") for _ in range(random.randint(1, most + 1))] \
        if color == 3 else None
    levels = [random.randint(0, (len(palette) - 1) if palette else most) for _ in range(4)]
    pixels = [[tuple(random.choice(levels) for _ in range(n)) for _ in range(width)] for _ in range(height)]
    data = b""
    for x, y, dx, dy in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        part = [row[x::dx] for row in pixels[y::dy]]
        if part and part[0]:
            data += filtered([row_bytes(row, depth) for row in part], max(1, n * depth // 8))
    data = zlib.compress(data, random.choice(compression))
    body = [chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)),
            chunk(b"gAMA", struct.pack(">I", 45455))]
    wide = max(depth, 8)

    def out(level):
        return level * ((1 << wide) - 1) // most if color == 0 else level
    samples = [[tuple(out(s) for s in p) for p in row] for row in pixels]
    if palette:
        body.append(chunk(b"PLTE", bytes(v for p in palette for v in p)))
        samples = [[palette[p[0]] for p in row] for row in pixels]
    if transparent and palette:
        alpha = [random.randrange(256) for _ in range(random.randint(1, len(palette)))]
        body.append(chunk(b"tRNS", bytes(alpha)))
        alpha += [255] * (len(palette) - len(alpha))
        samples = [[palette[p[0]] + (alpha[p[0]],) for p in row] for row in pixels]
    elif transparent:
        key = pixels[0][0]
        body.append(chunk(b"tRNS", b"".join(struct.pack(">H", s) for s in key)))
        samples = [[s + (0 if p == key else (1 << wide) - 1,) for p, s in zip(*rows)]
                   for rows in zip(pixels, samples)]
    cut = sorted(random.randint(0, len(data)) for _ in range(3))
    body += [chunk(b"IDAT", data[a:b]) for a, b in zip([0] + cut, cut + [len(data)])]
    body.append(chunk(b"IEND", b""))
    form = "=H" if wide == 16 else "=B"
    raw = b"".join(struct.pack(form, s) for row in samples for p in row for s in p)
    return b"\x89PNG\r\n\x1a\n" + b"".join(body), raw


def make(folder, compression=(0, 1, 6, 9)):
    for color, depths in {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}.items():
        for depth in depths:
            for interlaced in (0, 1):
                for width, height in ((1, 1), (5, 3), (8, 8), (13, 17)):
                    for mark in ("", "_t") if color in (0, 2, 3) else ("",):
                        name = os.path.join(folder, f"{color}_{depth}_{interlaced}_{width}x{height}{mark}")
                        data, raw = picture(color, depth, interlaced, width, height, mark != "",
                                            compression)
                        with open(name + ".png", "wb") as file:
                            file.write(data)
                        with open(name + ".raw", "wb") as file:
                            file.write(raw)


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, []
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body, crc = data[at + 8:at + 8 + size], data[at + 8 + size:at + 12 + size]
        assert struct.unpack(">I", crc)[0] == zlib.crc32(kind + body), kind
        chunks.append((kind, body))
        at += 12 + size
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    width, height, depth, color, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    assert rest == [0, 0, 0]
    step = CHANNELS[color] * depth // 8
    stream = zlib.decompressobj()
    raw = stream.decompress(chunks[1][1])
    assert stream.eof and stream.unused_data == b"" and len(raw) == height * (1 + width * step)
    up, rows, kinds = bytes(width * step), [], set()
    for y in range(height):
        kind, *packed = raw[y * (1 + width * step):(y + 1) * (1 + width * step)]
        row = bytearray()
        for i, v in enumerate(packed):
            row.append((v + predict(kind, row, up, i, step)) & 255)
        up = bytes(row)
        rows.append(up)
        kinds.add(kind)
    print(width, height, depth, color, len(kinds))
    print(b"".join(rows).hex())


random.seed(7)
{"make": make, "make_stored": lambda folder: make(folder, [0]), "read": read}[sys.argv[1]](sys.argv[2])
