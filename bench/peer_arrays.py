"""The measurements of bench/array_rows.lua with CuPy. Prints "name value" lines."""
import cupy
from cupyx.scipy.special import softmax

from peer_measure import N, SIDE, Peer

peer = Peer(cupy.cuda.Event, cupy.cuda.get_elapsed_time, cupy.cuda.Device().synchronize,
            cupy.get_default_memory_pool().free_all_blocks)
row, rate = peer.row, peer.rate
random = cupy.random

square = cupy.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared_difference")
norm2 = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "sum_of_squares")


def uniform(shape=N):
    return random.random(shape, dtype="f4")


# Elementwise -------------------------------------------------------------------------------------

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


def where():
    c, x, y = cupy.zeros(N, "?"), cupy.zeros(N, "f4"), cupy.zeros(N, "f4")
    return rate(13 * N, lambda: cupy.where(c, x, y))


def fuse():
    @cupy.fuse()
    def f(x, y):
        return (x - y) * (x - y)
    x, y = cupy.zeros(N, "f4"), cupy.zeros(N, "f4")
    return rate(12 * N, lambda: f(x, y))


def unary(fn):
    def make():
        x, z = uniform(), cupy.empty(N, "f4")
        return rate(8 * N, lambda: fn(x, z))
    return make


def two(fn):
    def make():
        x, y, z = uniform(), uniform(), cupy.empty(N, "f4")
        return rate(12 * N, lambda: fn(x, y, out=z))
    return make


def clip():
    x, z = cupy.zeros(4 * N, "u1"), cupy.zeros(4 * N, "u1")
    return rate(8 * N, lambda: cupy.clip(x, 16, 235, out=z))


# Reductions and scans ----------------------------------------------------------------------------

def reduce(shape, axis, out):
    def make():
        x, y = cupy.zeros(shape, "f4"), cupy.zeros(out, "f4")
        return rate(4 * N + 4 * y.size, lambda: norm2(x, y, axis=axis))
    return make


def argmax():
    x = cupy.zeros(N, "f4")
    return rate(4 * N, lambda: x.argmax())


def sum_int8():
    x = cupy.zeros(4 * N, "i1")
    return rate(4 * N, lambda: x.sum())


def sum_rows():
    x, y = cupy.zeros((N // 32, 32), "f4"), cupy.zeros(N // 32, "f4")
    return rate(4 * N + N // 8, lambda: x.sum(axis=-1, out=y))


def sum_strided():
    x = cupy.zeros(2 * N, "f4")[::2]
    return rate(8 * N, lambda: x.sum())


def one_number(name):
    def make():
        x = cupy.zeros(N, "f4")
        return rate(4 * N, lambda: getattr(x, name)())
    return make


def var_rows():
    x, y = cupy.zeros((SIDE, SIDE), "f4"), cupy.zeros(SIDE, "f4")
    return rate(4 * N + 4 * SIDE, lambda: x.var(axis=-1, out=y))


def softmax_rows():
    x = uniform((N >> 12, 1 << 12))
    return rate(8 * N, lambda: softmax(x, axis=-1))


def scan(dtype, shape, axis):
    def make():
        x, z = cupy.zeros(shape, dtype), cupy.zeros(shape, dtype)
        return rate(2 * x.nbytes, lambda: cupy.cumsum(x, axis=axis, out=z))
    return make


# Elements moved, joined and selected -------------------------------------------------------------

def transpose3():
    x = cupy.zeros((512, 512, 1024), "f4").transpose(2, 1, 0)
    return rate(8 * N, lambda: x.copy(order="C"))


def flip():
    x, z = cupy.zeros(N, "f4"), cupy.zeros(N, "f4")
    return rate(8 * N, lambda: cupy.copyto(z, cupy.flip(x)))


def roll():
    x = cupy.zeros(N, "f4")
    return rate(8 * N, lambda: cupy.roll(x, 1001))


def concatenate():
    x, y, z = cupy.zeros(N // 2, "f4"), cupy.zeros(N // 2, "f4"), cupy.zeros(N, "f4")
    return rate(8 * N, lambda: cupy.concatenate((x, y), out=z))


def stack(count):
    def make():
        n = N // count
        arrays, z = [cupy.zeros(n, "f4") for _ in range(count)], cupy.zeros((n, count), "f4")
        return rate(8 * n * count, lambda: cupy.stack(arrays, axis=-1, out=z))
    return make


def selection():
    x = uniform()
    mask = x < 0.5
    return rate(5 * N, lambda: x[mask])


def take():
    n = 1 << 26
    x, z, indices = uniform(n), cupy.zeros(n, "f4"), random.randint(0, n, n)
    return rate(n, lambda: cupy.take(x, indices, out=z))


# Random numbers: the faster of the two interfaces ------------------------------------------------

generator = random.default_rng(1)


def fill(dtype, *makers):
    def make():
        n = 4 * N // cupy.dtype(dtype).itemsize
        return max(rate(4 * N, lambda: fn(n)) for fn in makers)
    return make


def integers(low, high, dtype):
    return fill(dtype, lambda n: random.randint(low, high + 1, n, dtype=dtype),
                lambda n: generator.integers(low, high, n, dtype=dtype, endpoint=True))


def permutation():
    n = 1 << 26
    return rate(n, lambda: random.permutation(n))


def shuffle():
    n = 1 << 26
    x = cupy.zeros(n, "f4")
    return rate(n, lambda: random.shuffle(x))


def choice():
    n = 1 << 26
    x = cupy.zeros(n, "f4")
    return rate(n, lambda: random.choice(x, n))


# Sorting and products ----------------------------------------------------------------------------

def keys(dtype):
    n = 1 << 26
    if dtype in ("f4", "f8"):
        return random.standard_normal(n, dtype=dtype)
    bits = random.randint(0, 0xffffffff, 2 * n, dtype="u4")
    return bits[:n] if dtype == "u4" else bits.view(dtype)


def sort(dtype):
    def make():
        x = keys(dtype)
        return rate(x.size, lambda: cupy.sort(x))
    return make


def argsort(dtype):
    def make():
        x = keys(dtype)
        return rate(x.size, lambda: cupy.argsort(x))
    return make


def unique():
    x = random.randint(0, 1 << 20, 1 << 26, dtype="i4")
    return rate(x.size, lambda: cupy.unique(x))


def product(dtype):
    def make():
        n = 8192
        # All bits of float64 are random, since the rate falls with the power that the values take.
        made = "f8" if dtype == "float64" else "f4"
        a, b = ((2 * random.random((n, n), dtype=made) - 1).astype(dtype) for _ in range(2))
        c = cupy.empty((n, n), dtype)
        return 2 * n ** 3 * 1e-9 / peer.device_ms(lambda: cupy.matmul(a, b, out=c))
    return make


# Calls -------------------------------------------------------------------------------------------

def calls():
    x, y, z = cupy.ones(1024, "f4"), cupy.ones(1024, "f4"), cupy.ones(1024, "f4")
    a, b, s = cupy.ones((32, 32), "f4"), cupy.ones((32, 32), "f4"), cupy.zeros((), "f4")
    indices, mask = random.randint(0, 1024, 1024), uniform(1024) < 0.5
    rows = random.randint(0, 32, 32)
    peer.calls({
        "call_elementwise_out": lambda: square(x, y, z),
        "call_elementwise_new": lambda: square(x, y),
        "call_add": lambda: x + y,
        "call_reduction_out": lambda: norm2(x, s),
        "call_matmul_32": lambda: cupy.matmul(a, b),
        "call_take": lambda: cupy.take(x, indices),
        "call_take_rows": lambda: cupy.take(a, rows, 0),
        "call_put": lambda: cupy.put(z, indices, y),
        "call_scatter_add": lambda: cupy.add.at(z, indices, y),
        "call_mask": lambda: x[mask],
        "call_putmask": lambda: cupy.putmask(z, mask, 1),
        "call_concatenate": lambda: cupy.concatenate((x, y)),
        "call_stack": lambda: cupy.stack((x, y)),
        "call_roll": lambda: cupy.roll(x, 3),
        "call_softmax": lambda: softmax(a, -1),
        "call_cumsum": lambda: cupy.cumsum(x),
        "call_sort": lambda: cupy.sort(x),
        "call_uniform": lambda: uniform(1024),
        "call_permutation": lambda: random.permutation(1024),
    })


row("elementwise_float32", binary("f4", 4))
row("elementwise_float16", binary("f2", 2))
row("elementwise_uint8", binary("u1", 1))
row("row_broadcast", row_broadcast)
row("transposed_input", transposed_input)
row("astype_float16", astype)
row("where", where)
row("fuse", fuse)
row("exp", unary(lambda x, z: cupy.exp(x, out=z)))
row("power_float", unary(lambda x, z: cupy.power(x, 2.5, out=z)))
row("power_square", unary(lambda x, z: cupy.power(x, 2, out=z)))
row("power_arrays", two(cupy.power))
row("maximum", two(cupy.maximum))
row("clip_uint8", clip)
row("reduce_all", reduce(N, None, ()))
row("reduce_last_axis", reduce((SIDE, SIDE), -1, SIDE))
row("reduce_first_axis", reduce((SIDE, SIDE), 0, SIDE))
row("argmax", argmax)
row("sum_int8", sum_int8)
row("sum_rows_of_32", sum_rows)
row("sum_strided", sum_strided)
row("mean", one_number("mean"))
row("var", one_number("var"))
row("std", one_number("std"))
row("var_last_axis", var_rows)
row("softmax", softmax_rows)
row("scan_all", scan("f4", N, None))
row("scan_last_axis", scan("f4", (SIDE, SIDE), -1))
row("scan_first_axis", scan("f4", (SIDE, SIDE), 0))
row("scan_float64", scan("f8", N // 2, None))
row("scan_int64", scan("i8", N // 2, None))
row("scan_float64_last_axis", scan("f8", (SIDE // 2, SIDE), -1))
row("scan_float64_first_axis", scan("f8", (SIDE // 2, SIDE), 0))
row("copy_transpose3", transpose3)
row("flip", flip)
row("roll", roll)
row("concatenate", concatenate)
row("stack_2_last", stack(2))
row("stack_3_last", stack(3))
row("boolean_selection", selection)
row("take", take)
row("random_uniform", fill("f4", uniform, lambda n: generator.random(n, dtype="f4")))
row("random_uniform_float64", fill("f8", random.random, generator.random))
row("random_normal", fill("f4", lambda n: random.standard_normal(n, dtype="f4"),
                          lambda n: generator.standard_normal(n, dtype="f4")))
row("random_normal_float64", fill("f8", random.standard_normal, generator.standard_normal))
row("random_exponential", fill("f4", lambda n: random.standard_exponential(n, dtype="f4"),
                               lambda n: generator.standard_exponential(n, dtype="f4")))
row("integers_int64", integers(0, 99, "i8"))
row("integers_int64_wide", integers(0, 10 ** 15, "i8"))
row("integers_int32", integers(0, 99, "i4"))
row("integers_int32_power", integers(0, 1023, "i4"))
row("integers_uint8", integers(0, 255, "u1"))
row("permutation", permutation)
row("shuffle", shuffle)
row("choice", choice)
for name, dtype in (("uint32", "u4"), ("float32", "f4"), ("int64", "i8"), ("uint64", "u8"),
                    ("float64", "f8")):
    row("sort_" + name, sort(dtype))
for name, dtype in (("float32", "f4"), ("int64", "i8"), ("float64", "f8")):
    row("argsort_" + name, argsort(dtype))
row("unique", unique)
for name, dtype in (("float32", "f4"), ("float16", "f2"), ("float64", "f8")):
    row("matmul_" + name, product(dtype))
calls()
