"""The measurements of bench/array_rows.lua with torch. Prints "name value" lines."""
import torch

from peer_measure import N, SIDE, Peer

torch.set_default_device("cuda")
torch.set_grad_enabled(False)
peer = Peer(lambda: torch.cuda.Event(enable_timing=True), lambda start, stop:
            start.elapsed_time(stop), torch.cuda.synchronize, torch.cuda.empty_cache)
row, rate = peer.row, peer.rate
F4, F8, I8, U1 = torch.float32, torch.float64, torch.int64, torch.uint8


def unary(fn):
    def make():
        x, z = torch.rand(N), torch.empty(N)
        return rate(8 * N, lambda: fn(x, z))
    return make


def two(fn):
    def make():
        x, y, z = torch.rand(N), torch.rand(N), torch.empty(N)
        return rate(12 * N, lambda: fn(x, y, out=z))
    return make


def astype():
    x = torch.zeros(N)
    return rate(6 * N, lambda: x.half())


def where():
    c, x, y, z = torch.zeros(N, dtype=torch.bool), torch.zeros(N), torch.zeros(N), torch.zeros(N)
    return rate(13 * N, lambda: torch.where(c, x, y, out=z))


def clip():
    x, z = torch.zeros(4 * N, dtype=U1), torch.zeros(4 * N, dtype=U1)
    return rate(8 * N, lambda: torch.clamp(x, 16, 235, out=z))


# Reductions and scans: their results are new tensors ---------------------------------------------

def reduction(fn, shape=N, dtype=F4, bytes=4 * N):
    def make():
        x = torch.zeros(shape, dtype=dtype)
        return rate(bytes, lambda: fn(x))
    return make


def sum_strided():
    x = torch.zeros(2 * N)[::2]
    return rate(8 * N, lambda: x.sum())


def softmax():
    x, z = torch.rand((N >> 12, 1 << 12)), torch.empty((N >> 12, 1 << 12))
    return rate(8 * N, lambda: torch.softmax(x, -1, out=z))


def scan(dtype, shape, axis):
    def make():
        x, z = torch.zeros(shape, dtype=dtype), torch.zeros(shape, dtype=dtype)
        return rate(2 * x.nbytes, lambda: torch.cumsum(x, axis, out=z))
    return make


# Elements moved, joined and selected -------------------------------------------------------------

def transpose3():
    x = torch.zeros((512, 512, 1024)).permute(2, 1, 0)
    return rate(8 * N, lambda: x.contiguous())


def flip():
    x = torch.zeros(N)
    return rate(8 * N, lambda: torch.flip(x, (0,)))


def roll():
    x = torch.zeros(N)
    return rate(8 * N, lambda: torch.roll(x, 1001))


def concatenate():
    x, y, z = torch.zeros(N // 2), torch.zeros(N // 2), torch.zeros(N)
    return rate(8 * N, lambda: torch.cat((x, y), out=z))


def stack(count):
    def make():
        n = N // count
        arrays, z = [torch.zeros(n) for _ in range(count)], torch.zeros((n, count))
        return rate(8 * n * count, lambda: torch.stack(arrays, -1, out=z))
    return make


def selection():
    x = torch.rand(N)
    mask = x < 0.5
    return rate(5 * N, lambda: x[mask])


def take():
    n = 1 << 26
    x, z, indices = torch.rand(n), torch.zeros(n), torch.randint(0, n, (n,))
    return rate(n, lambda: torch.index_select(x, 0, indices, out=z))


# Random numbers ----------------------------------------------------------------------------------

def fill(dtype, fn):
    def make():
        z = torch.empty(4 * N // dtype.itemsize, dtype=dtype)
        return rate(4 * N, lambda: fn(z))
    return make


def integers(low, high, dtype):
    return fill(dtype, lambda z: z.random_(low, high + 1))


def permutation():
    n = 1 << 26
    return rate(n, lambda: torch.randperm(n))


def shuffle():
    n = 1 << 26
    x = torch.zeros(n)

    def run():
        x[:] = x[torch.randperm(n)]
    return rate(n, run)


def choice():
    n = 1 << 26
    x = torch.zeros(n)
    return rate(n, lambda: x[torch.randint(0, n, (n,))])


# Sorting and products ----------------------------------------------------------------------------

def keys(dtype):
    n = 1 << 26
    if dtype.is_floating_point:
        return torch.randn(n, dtype=dtype)
    return torch.randint(-2 ** 63, 2 ** 63 - 1, (n,))


def sort(fn, dtype):
    def make():
        x = keys(dtype)
        return rate(x.numel(), lambda: fn(x))
    return make


def unique():
    x = torch.randint(0, 1 << 20, (1 << 26,), dtype=torch.int32)
    return rate(x.numel(), lambda: torch.unique(x))


def product(dtype):
    def make():
        n = 8192
        # All bits of float64 are random, since the rate falls with the power that the values take.
        made = dtype if dtype == torch.float64 else torch.float32
        a, b = ((2 * torch.rand((n, n), dtype=made) - 1).to(dtype) for _ in range(2))
        c = torch.empty((n, n), dtype=dtype)
        return 2 * n ** 3 * 1e-9 / peer.device_ms(lambda: torch.matmul(a, b, out=c))
    return make


# Calls -------------------------------------------------------------------------------------------

def calls():
    x, y, a, b = torch.ones(1024), torch.ones(1024), torch.ones((32, 32)), torch.ones((32, 32))
    indices, mask = torch.randint(0, 1024, (1024,)), torch.rand(1024) < 0.5
    z, rows = torch.ones(1024), torch.randint(0, 32, (32,))
    peer.calls({
        "call_add": lambda: x + y,
        "call_reduction_out": lambda: x.sum(),
        "call_matmul_32": lambda: torch.matmul(a, b),
        "call_take": lambda: torch.index_select(x, 0, indices),
        "call_take_rows": lambda: torch.index_select(a, 0, rows),
        "call_put": lambda: z.put_(indices, y),
        "call_scatter_add": lambda: z.scatter_add_(0, indices, y),
        "call_mask": lambda: x[mask],
        "call_putmask": lambda: z.masked_fill_(mask, 1),
        "call_concatenate": lambda: torch.cat((x, y)),
        "call_stack": lambda: torch.stack((x, y)),
        "call_roll": lambda: torch.roll(x, 3),
        "call_softmax": lambda: torch.softmax(a, -1),
        "call_cumsum": lambda: torch.cumsum(x, 0),
        "call_sort": lambda: torch.sort(x),
        "call_uniform": lambda: torch.rand(1024),
        "call_permutation": lambda: torch.randperm(1024),
    })


row("astype_float16", astype)
row("where", where)
row("exp", unary(lambda x, z: torch.exp(x, out=z)))
row("power_float", unary(lambda x, z: torch.pow(x, 2.5, out=z)))
row("power_square", unary(lambda x, z: torch.pow(x, 2, out=z)))
row("power_arrays", two(torch.pow))
row("maximum", two(torch.maximum))
row("clip_uint8", clip)
row("argmax", reduction(torch.argmax))
row("sum_int8", reduction(torch.sum, 4 * N, torch.int8))
row("sum_rows_of_32", reduction(lambda x: x.sum(-1), (N // 32, 32), bytes=4 * N + N // 8))
row("sum_strided", sum_strided)
row("mean", reduction(torch.mean))
row("var", reduction(lambda x: torch.var(x, correction=0)))
row("std", reduction(lambda x: torch.std(x, correction=0)))
row("var_last_axis", reduction(lambda x: torch.var(x, -1, correction=0), (SIDE, SIDE)))
row("softmax", softmax)
row("scan_all", scan(F4, N, 0))
row("scan_last_axis", scan(F4, (SIDE, SIDE), -1))
row("scan_first_axis", scan(F4, (SIDE, SIDE), 0))
row("scan_float64", scan(F8, N // 2, 0))
row("scan_int64", scan(I8, N // 2, 0))
row("scan_float64_last_axis", scan(F8, (SIDE // 2, SIDE), -1))
row("scan_float64_first_axis", scan(F8, (SIDE // 2, SIDE), 0))
row("copy_transpose3", transpose3)
row("flip", flip)
row("roll", roll)
row("concatenate", concatenate)
row("stack_2_last", stack(2))
row("stack_3_last", stack(3))
row("boolean_selection", selection)
row("take", take)
row("random_uniform", fill(F4, torch.Tensor.uniform_))
row("random_uniform_float64", fill(F8, torch.Tensor.uniform_))
row("random_normal", fill(F4, torch.Tensor.normal_))
row("random_normal_float64", fill(F8, torch.Tensor.normal_))
row("random_exponential", fill(F4, torch.Tensor.exponential_))
row("integers_int64", integers(0, 99, I8))
row("integers_int64_wide", integers(0, 10 ** 15, I8))
row("integers_int32", integers(0, 99, torch.int32))
row("integers_int32_power", integers(0, 1023, torch.int32))
row("integers_uint8", integers(0, 255, U1))
row("permutation", permutation)
row("shuffle", shuffle)
row("choice", choice)
for name, dtype in (("float32", F4), ("int64", I8), ("float64", F8)):
    row("sort_" + name, sort(torch.sort, dtype))
    row("argsort_" + name, sort(torch.argsort, dtype))
row("unique", unique)
for name in ("float32", "float16", "bfloat16", "float64"):
    row("matmul_" + name, product(getattr(torch, name)))
calls()
