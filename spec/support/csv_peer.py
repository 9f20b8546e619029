"""csv_peer.py make FOLDER | read FILE DELIMITER: text files of numbers, written and read without
LuaCUDA.

make: files N.csv with random spellings, and N.raw with their elements as doubles.
read: prints the elements of a file as 16 hexadecimal digits each, a line for each row.
"""
import csv
import os
import random
import struct
import sys


def spelling():
    """A number as text, among them some that are hard to round."""
    kind = random.randrange(9)
    if kind == 0:
        return str(random.randint(-10**random.randint(1, 25), 10**random.randint(1, 25)))
    if kind == 1:
        return repr(random.gauss(0, 1))
    if kind == 2:
        return repr(struct.unpack("<d", struct.pack("<Q", random.getrandbits(64) & ~(1 << 62)))[0])
    if kind == 3:
        digits = "".join(random.choice("0123456789") for _ in range(random.randint(1, 60)))
        at = random.randint(0, len(digits))
        return digits[:at] + "." + digits[at:]
    if kind == 4:
        return f"{random.randint(0, 10**17)}{random.choice('eE')}{random.randint(-340, 290)}"
    if kind == 5:  # half way between two doubles, and a little beside it
        x = random.getrandbits(53) | 1 << 52
        return f"{2 * x + 1}" + random.choice(["", ".0", ".00000000000000000000000001"])
    if kind == 6:
        return random.choice(["0", "-0", "+1", ".5", "5.", "-.25e+2", "1e-400", "00012", "4.9e-324",
                              "inf", "-Infinity", "0e99999999999", "1e0000000000000000005"])
    return repr(round(random.uniform(-1000, 1000), random.randint(0, 6)))


def make(folder):
    for n in range(40):
        delimiter = random.choice([",", ";", "\t", " "])
        width, height = random.randint(1, 6), random.randint(1, 12)
        gap = "" if delimiter in " \t" else random.choice(["", " "])
        lines, values = [], []
        for _ in range(height):
            row = [spelling() for _ in range(width)]
            values += [float(v) for v in row]
            if random.random() < 0.3:
                row = ['"' + v + '"' for v in row]
            lines.append((gap + delimiter * (random.randint(1, 3) if delimiter == " " else 1)).join(row))
            if random.random() < 0.2:
                lines.append(random.choice(["", "# a comment, 1, 2"]))
        end = random.choice(["\n", "\r\n"])
        with open(os.path.join(folder, f"{n}.csv"), "w", newline="") as file:
            file.write(random.choice(["", "\ufeff"]) + end.join(lines) + random.choice(["", end]))
        with open(os.path.join(folder, f"{n}.raw"), "wb") as file:
            file.write(b"".join(struct.pack("=d", v) for v in values))
        with open(os.path.join(folder, f"{n}.txt"), "w") as file:
            file.write(f"{delimiter}{height} {width}")


def read(path, delimiter):
    with open(path, newline="") as file:
        for row in csv.reader(file, delimiter=delimiter):
            try:
                print("".join(struct.pack(">d", float(v)).hex() for v in row))
            except ValueError:
                print(row)


random.seed(11)
make(sys.argv[2]) if sys.argv[1] == "make" else read(*sys.argv[2:])
