# The peers of bench/tiles_*.lua through torch: prints "NAME RATE" lines, TFLOP/s or GB/s. The first
# argument is the group of rows.
import sys

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

ROUNDS, CALLS, ELEMENTS = 7, 5, 1 << 28

torch.set_default_device("cuda")
torch.set_grad_enabled(False)
torch.backends.cudnn.benchmark = True


def median_ms(fn):
    for _ in range(3):
        fn()
    times = []
    for _ in range(ROUNDS):
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        for _ in range(CALLS):
            fn()
        last.record()
        torch.cuda.synchronize()
        times.append(first.elapsed_time(last) / CALLS)
    return sorted(times)[ROUNDS // 2]


def row(name, amount, fn):
    print(name, "%.1f" % (amount / median_ms(fn)), flush=True)


def epilogue():
    m, n, k = 8192, 4096, 4096
    a, b = torch.randn(m, k).bfloat16(), (torch.randn(k, n) * k ** -0.5).bfloat16()
    bias = torch.randn(n).bfloat16()

    def layer(a, b, bias):
        return F.gelu(a @ b + bias, approximate="tanh")

    products = 2e-9 * m * n * k
    row("epilogue eager", products, lambda: layer(a, b, bias))
    compiled = torch.compile(layer, mode="max-autotune-no-cudagraphs")
    row("epilogue compiled", products, lambda: compiled(a, b, bias))


def rows(name, make):
    for dtype in ("bfloat16", "float32"):
        for columns in (128, 1024, 4096, 16384, 65536):
            x = torch.randn(ELEMENTS // columns, columns, dtype=getattr(torch, dtype))
            weight, bias = torch.randn(2, columns, dtype=x.dtype)
            row("%s %s %d" % (name, dtype, columns), 2e-6 * x.nbytes, make(x, weight, bias))


def softmax(x, weight, bias):
    return lambda: F.softmax(x, -1)


def layer_norm(x, weight, bias):
    return lambda: F.layer_norm(x, x.shape[1:], weight, bias)


def rms_norm(x, weight, bias):
    return lambda: F.rms_norm(x, x.shape[1:], weight, 1e-5)


def convolution():
    images, side = 32, 56
    for channels in (64, 128, 256):
        x, weight = (t.bfloat16().to(memory_format=torch.channels_last) for t in
                     (torch.randn(images, channels, side, side),
                      torch.randn(channels, channels, 3, 3)))
        products = 2e-9 * images * side * side * 9 * channels * channels
        row("convolution %d" % channels, products, lambda: F.conv2d(x, weight, padding=1))


def attention():
    with sdpa_kernel([SDPBackend.CUDNN_ATTENTION]):
        for heads, n, d in ((32, 8192, 128), (32, 8192, 64), (32, 2048, 128)):
            q, k, v = (torch.randn(1, heads, n, d).bfloat16() for _ in range(3))
            for kind in ("plain", "causal"):
                products = 4e-9 * heads * n * n * d / (2 if kind == "causal" else 1)
                row("%s %d %d %d" % (kind, heads, n, d), products,
                    lambda: F.scaled_dot_product_attention(q, k, v, is_causal=kind == "causal"))


def backward():
    heads, n, d = 16, 4096, 128
    with sdpa_kernel([SDPBackend.CUDNN_ATTENTION]), torch.enable_grad():
        q, k, v = (torch.randn(1, heads, n, d).bfloat16().requires_grad_() for _ in range(3))
        gradient = torch.randn(1, heads, n, d).bfloat16()
        for kind in ("plain", "causal"):
            out = F.scaled_dot_product_attention(q, k, v, is_causal=kind == "causal")
            products = 10e-9 * heads * n * n * d / (2 if kind == "causal" else 1)
            row("%s %d %d %d" % (kind, heads, n, d), products,
                lambda: torch.autograd.grad(out, (q, k, v), gradient, retain_graph=True))


def float8():
    n = 8192
    a, b = torch.randn(n, n).to(torch.float8_e4m3fn), torch.randn(n, n).to(torch.float8_e4m3fn).t()
    one = torch.ones(1)
    row("float8 %d" % n, 2e-9 * n ** 3,
        lambda: torch._scaled_mm(a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16))


GROUPS = {
    "attention": attention,
    "backward": backward,
    "float8": float8,
    "epilogue": epilogue,
    "convolution": convolution,
    "softmax": lambda: rows("softmax", softmax),
    "layer norm": lambda: rows("layer norm", layer_norm),
    "rms norm": lambda: rows("rms norm", rms_norm),
}
GROUPS[sys.argv[1]]()
