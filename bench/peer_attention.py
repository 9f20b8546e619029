# Prints "KIND HEADS N D TFLOP/s" for attention of bfloat16 by cuDNN through torch.
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

ROUNDS, CALLS = 7, 5


def median_ms(fn):
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


with sdpa_kernel([SDPBackend.CUDNN_ATTENTION]):
    for heads, n, d in ((32, 8192, 128), (32, 8192, 64), (32, 2048, 128)):
        for kind in ("plain", "causal"):
            q, k, v = (torch.randn(1, heads, n, d, device="cuda", dtype=torch.bfloat16)
                       for _ in range(3))
            causal = kind == "causal"
            ms = median_ms(lambda: scaled_dot_product_attention(q, k, v, is_causal=causal))
            products = n * n / 2 if causal else n * n
            print(kind, heads, n, d, "%.1f" % (4 * heads * products * d / ms * 1e-9))
