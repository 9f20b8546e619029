"""The measurements of bench/cpu_rows.lua with NumPy. Prints "name value" lines."""
import os
import sys
import time

import numpy

N = 1000000
RUNS = int(os.environ.get("LUACUDA_BENCH_RUNS", "11"))
random = numpy.random.default_rng(1)


def row(name, fn):
    if sys.argv[1:] and name not in sys.argv[1:]:
        return
    fn()
    best = float("inf")
    for _ in range(RUNS):
        start = time.perf_counter()
        fn()
        best = min(best, time.perf_counter() - start)
    print(f"{name} {best * 1e3:.4f}", flush=True)


x, y = random.random(N, dtype="f4"), random.random(N, dtype="f4")
square = x.reshape(1000, 1000)
mask, indices = x < 0.5, random.integers(0, N, N)
row("add", lambda: x + y)
row("exp", lambda: numpy.exp(x))
row("sum", lambda: x.sum())
row("max", lambda: x.max())
row("sum_rows", lambda: square.sum(axis=1))
row("sum_columns", lambda: square.sum(axis=0))
row("cumsum", lambda: x.cumsum())
row("transpose", lambda: square.T.copy())
row("mask", lambda: x[mask])
row("take", lambda: x.take(indices))
row("sort", lambda: numpy.sort(x))
row("argsort", lambda: numpy.argsort(x))
row("uniform", lambda: random.random(N, dtype="f4"))
row("normal", lambda: random.standard_normal(N, dtype="f4"))
row("integers", lambda: random.integers(0, 100, N))
row("permutation", lambda: random.permutation(N))


def product(name, dtype, left, right):
    a, b = random.random(left, dtype=dtype), random.random(right, dtype=dtype)
    row(name, lambda: a @ b)


product("matmul_512", "f4", (512, 512), (512, 512))
product("matmul_512_float64", "f8", (512, 512), (512, 512))
product("matmul_narrow", "f4", (10000, 4), (4, 4))
