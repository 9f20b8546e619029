"""shrink_png.py IN OUT SCALE COLORS: a small copy of a picture that an example wrote.

Each side becomes 1/SCALE as long, and the picture gets a palette of at most COLORS colors (median
cut), because a palette compresses far better than red, green and blue. Reads what array:save_png
writes of uint8 arrays.
"""
import struct
import sys
import zlib


def unfiltered(kind, row, up, step):
    out = bytearray(step) + row
    above = bytes(step) + up
    for i in range(step, len(out)):
        a, b, c = out[i - step], above[i], above[i - step]
        near = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        out[i] = (out[i] + (0, a, b, (a + b) // 2, near)[kind]) & 255
    return bytes(out[step:])


def read(path):
    data, at, packed = open(path, "rb").read(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, _, color = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            packed += body
        at += size + 12
    stride = width * (3 if color == 2 else 1)
    raw, rows = zlib.decompress(packed), [bytes(stride)]
    for at in range(0, len(raw), stride + 1):
        rows.append(unfiltered(raw[at], raw[at + 1:at + stride + 1], rows[-1], stride // width))
    rows = rows[1:]
    return width, height, [row if color == 2 else bytes(v for v in row for _ in "rgb") for row in rows]


def shrink(width, height, rows, scale):
    """Rows of (r, g, b): the mean of each square of scale x scale pixels."""
    for y in range(height // scale):
        square = rows[y * scale:(y + 1) * scale]
        yield [tuple(sum(sum(row[3 * x * scale + c:3 * (x + 1) * scale:3]) for row in square) // scale**2
                     for c in range(3)) for x in range(width // scale)]


def palette_of(pixels, colors):
    """Color of each pixel -> number in the palette, and the palette."""
    boxes = [sorted(set(pixels))]
    while len(boxes) < colors:
        spread = [(max(max(p[c] for p in box) - min(p[c] for p in box) for c in range(3)), i)
                  for i, box in enumerate(boxes)]
        width, at = max(spread)
        if width == 0:
            break
        box = boxes.pop(at)
        axis = max(range(3), key=lambda c: max(p[c] for p in box) - min(p[c] for p in box))
        box.sort(key=lambda p: p[axis])
        middle = (box[0][axis] + box[-1][axis]) / 2
        cut = next(i for i, p in enumerate(box) if p[axis] > middle)
        boxes += [box[:cut], box[cut:]]
    number = {p: i for i, box in enumerate(boxes) for p in box}
    return number, [tuple(sum(p[c] for p in box) // len(box) for c in range(3)) for box in boxes]


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def main(source, target, scale, colors):
    rows = list(shrink(*read(source), int(scale)))
    number, palette = palette_of([p for row in rows for p in row], int(colors))
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0)
    data = b"".join(b"\0" + bytes(number[p] for p in row) for row in rows)
    with open(target, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"PLTE", bytes(sum(palette, ())))
                   + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b""))


main(*sys.argv[1:])
