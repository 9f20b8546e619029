"""The measurements of bench/array_rows.lua with CuPy. Prints "name value" lines."""
import statistics
import sys
import time

import cupy

N, SIDE, RUNS, REPEAT, ROUNDS = 1 << 28, 1 << 14, 11, 5, 5


def device_ms(fn):
    values = []
    fn()
    fn()
    for _ in range(RUNS):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for _ in range(REPEAT):
            fn()
        stop.record()
        stop.synchronize()
        values.append(cupy.cuda.get_elapsed_time(start, stop) / REPEAT)
    return statistics.median(values)


def call_us(fn):
    values = []
    for _ in range(51):
        start = time.perf_counter()
        for _ in range(200):
            fn()
        values.append((time.perf_counter() - start) * 1e6 / 200)
        cupy.cuda.Device().synchronize()
    return statistics.median(values)


def row(name, make):
    if sys.argv[1:] and name not in sys.argv[1:]:
        return
    try:
        print(f"{name} {make():.4f}", flush=True)
    except Exception as e:
        print(f"{name}: {e}", file=sys.stderr)
    cupy.get_default_memory_pool().free_all_blocks()


def rate(count, fn):
    return count * 1e-6 / device_ms(fn)


square = cupy.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
norm2 = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "sum_of_squares")


def binary(dtype, count):
    def make():
        x, y, z = cupy.zeros(N, dtype), cupy.zeros(N, dtype), cupy.zeros(N, dtype)
        return rate(3 * count * N, lambda: square(x, y, z))
    return make


def row_broadcast():
    x, y, z = cupy.zeros((SIDE, SIDE), "f4"), cupy.zeros(SIDE, "f4"), cupy.zeros((SIDE, SIDE), "f4")
    return rate(8 * N + 4 * SIDE, lambda: square(x, y, z))


def transposed_input():
    x = cupy.zeros((SIDE, SIDE), "f4").T
    y, z = cupy.zeros((SIDE, SIDE), "f4"), cupy.zeros((SIDE, SIDE), "f4")
    return rate(12 * N, lambda: square(x, y, z))


def astype():
    x = cupy.zeros(N, "f4")
    return rate(6 * N, lambda: x.astype("f2"))


def transpose3():
    x = cupy.zeros((512, 512, 1024), "f4").transpose(2, 1, 0)
    return rate(8 * N, lambda: x.copy(order="C"))


def where():
    c, x, y = cupy.zeros(N, "?"), cupy.zeros(N, "f4"), cupy.zeros(N, "f4")
    return rate(13 * N, lambda: cupy.where(c, x, y))


def fuse():
    @cupy.fuse()
    def f(x, y):
        return (x - y) * (x - y)
    x, y = cupy.zeros(N, "f4"), cupy.zeros(N, "f4")
    return rate(12 * N, lambda: f(x, y))


def reduce(shape, axis, out):
    def make():
        x, y = cupy.zeros(shape, "f4"), cupy.zeros(out, "f4")
        return rate(4 * N + 4 * y.size, lambda: norm2(x, y, axis=axis))
    return make


def argmax():
    x = cupy.zeros(N, "f4")
    return rate(4 * N, lambda: x.argmax())


def scan(shape, axis):
    def make():
        x, z = cupy.zeros(shape, "f4"), cupy.zeros(shape, "f4")
        return rate(8 * N, lambda: cupy.cumsum(x, axis=axis, out=z))
    return make


def selection():
    x = cupy.random.random(N, dtype="f4")
    mask = x < 0.5
    return rate(5 * N, lambda: x[mask])


def normal():
    return rate(4 * N, lambda: cupy.random.standard_normal(N, dtype="f4"))


def sort():
    n = 1 << 26
    x = cupy.random.randint(0, 0xffffffff, n, dtype="u4")
    return n * 1e-6 / device_ms(lambda: cupy.sort(x))


def product(dtype):
    def make():
        n = 8192
        a, b = ((2 * cupy.random.random((n, n), "f4") - 1).astype(dtype) for _ in range(2))
        c = cupy.empty((n, n), dtype)
        return 2 * n ** 3 * 1e-9 / device_ms(lambda: cupy.matmul(a, b, out=c))
    return make


def calls():
    x, y, z = cupy.ones(1024, "f4"), cupy.ones(1024, "f4"), cupy.ones(1024, "f4")
    s = cupy.zeros((), "f4")
    rows = {
        "call_elementwise_out": lambda: square(x, y, z),
        "call_elementwise_new": lambda: square(x, y),
        "call_add": lambda: x + y,
        "call_reduction_out": lambda: norm2(x, s),
    }
    best = {name: float("inf") for name in rows if not sys.argv[1:] or name in sys.argv[1:]}
    for _ in range(ROUNDS):
        for name in best:
            best[name] = min(best[name], call_us(rows[name]))
    for name, us in best.items():
        print(f"{name} {us:.4f}", flush=True)


row("elementwise_float32", binary("f4", 4))
row("elementwise_float16", binary("f2", 2))
row("elementwise_uint8", binary("u1", 1))
row("row_broadcast", row_broadcast)
row("transposed_input", transposed_input)
row("astype_float16", astype)
row("copy_transpose3", transpose3)
row("where", where)
row("fuse", fuse)
row("reduce_all", reduce(N, None, ()))
row("reduce_last_axis", reduce((SIDE, SIDE), -1, SIDE))
row("reduce_first_axis", reduce((SIDE, SIDE), 0, SIDE))
row("argmax", argmax)
row("scan_all", scan(N, None))
row("scan_last_axis", scan((SIDE, SIDE), -1))
row("scan_first_axis", scan((SIDE, SIDE), 0))
row("boolean_selection", selection)
row("random_uniform", lambda: rate(4 * N, lambda: cupy.random.random(N, dtype="f4")))
row("random_normal", normal)
row("sort_uint32", sort)
row("matmul_float32", product("f4"))
row("matmul_float16", product("f2"))
calls()
