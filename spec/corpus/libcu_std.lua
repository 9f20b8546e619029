-- Types of cuda::std in kernels: complex, array, tuple, optional, variant, span, limits, bit
-- operations, algorithms.
local N = 64

return {
  heavy = true,
  needs = "cuda/std/complex",
  source = [[
    #include <cuda/std/complex>
    #include <cuda/std/array>
    #include <cuda/std/tuple>
    #include <cuda/std/optional>
    #include <cuda/std/variant>
    #include <cuda/std/span>
    #include <cuda/std/bit>
    #include <cuda/std/limits>
    namespace std_ = cuda::std;
    __global__ void powers(double *out) { // z^n of points on a circle
      int i = threadIdx.x;
      std_::complex<double> z = std_::polar(1.0, i * 0.1), w = 1;
      for (int k = 0; k < 5; k++) w *= z / std_::complex<double>(0, 1);
      out[3 * i] = w.real();
      out[3 * i + 1] = w.imag();
      out[3 * i + 2] = std_::abs(std_::exp(w));
    }
    __device__ std_::optional<int> half_of(int v) {
      if (v % 2 == 0) return v / 2;
      return std_::nullopt;
    }
    __device__ int total(std_::span<const int> s) {
      int sum = 0;
      for (int v : s) sum += v;
      return sum;
    }
    struct kind_of {
      template <class T> __device__ int operator()(T v) const { return int(sizeof(v) * 100 + v); }
    };
    __global__ void values(int *out) {
      int i = threadIdx.x;
      std_::array<int, 4> a = { i, i * i, 3, half_of(i).value_or(-7) };
      auto [x, y] = std_::make_tuple(total(std_::span<const int>(a.data(), 4)), a[1]);
      std_::variant<int, double> v = i;
      if (i % 3 == 0) v = i * 0.5;
      int kind = std_::visit(kind_of(), v);
      out[i] = x + 1000 * y % 7 + kind * 10 + std_::popcount((unsigned)i)
        + std_::countl_zero((unsigned short)(i + 1)) + (int)std_::bit_ceil((unsigned)i + 1)
        + std_::numeric_limits<short>::max();
    }]],
  run = function(kernels, t)
    local out, values = t.cuda.empty(3 * N, "float64"), t.cuda.empty(N, "int32")
    kernels.powers({ grid = 1, block = N }, out)
    local want = {}
    for i = 0, N - 1 do
      local angle = 5 * (i * 0.1 - math.pi / 2)
      want[#want + 1], want[#want + 2] = math.cos(angle), math.sin(angle)
      want[#want + 1] = math.exp(math.cos(angle))
    end
    t.close(want, out, 1e-13, 1e-13, "powers")
    kernels.values({ grid = 1, block = N }, values)
    t.same(t.list(N, function(k)
      local i = k - 1
      local sum = i + i * i + 3 + (i % 2 == 0 and i // 2 or -7)
      local kind = i % 3 == 0 and math.floor(800 + i * 0.5) or 400 + i
      local bits, zeros, ceil = 0, 16, 1
      for b = 0, 15 do
        bits = bits + (i >> b & 1)
        if i + 1 >> b ~= 0 then zeros = 15 - b end
      end
      while ceil < i + 1 do ceil = ceil * 2 end
      return sum + 1000 * i * i % 7 + kind * 10 + bits + zeros + ceil + 32767
    end), values, "values")
  end,
}
