-- A product of polynomials by number-theoretic transforms modulo 998244353.
local N, P = 512, 998244353

return {
  source = [[
    #define N 512
    #define P 998244353u
    typedef unsigned u;
    __device__ u multiply(u a, u b) { return (unsigned long long)a * b % P; }
    __device__ u power(u a, u e) {
      u r = 1;
      for (; e != 0; e >>= 1, a = multiply(a, a)) if (e & 1) r = multiply(r, a);
      return r;
    }
    __device__ void transform(u *s, u root) {
      int i = threadIdx.x;
      for (int length = N / 2; length > 0; length /= 2) {
        __syncthreads();
        int at = i / length * 2 * length + i % length;
        u a = s[at], b = s[at + length];
        s[at] = a + b >= P ? a + b - P : a + b;
        s[at + length] = multiply(a + P - b, power(root, i % length * (N / 2 / length)));
      }
      __syncthreads();
    }
    __global__ void product(const u *x, const u *y, u *z) {
      __shared__ u a[N], b[N];
      int i = threadIdx.x;
      u root = power(3, (P - 1) / N);
      for (int k = i; k < N; k += N / 2) a[k] = x[k], b[k] = y[k];
      transform(a, root);
      transform(b, root);
      for (int k = i; k < N; k += N / 2) a[k] = multiply(a[k], b[k]);
      __syncthreads();
      // The transform leaves its result in bit-reversed order; turn it back for the inverse.
      for (int k = i; k < N; k += N / 2) b[__brev(k) >> 23] = a[k];
      transform(b, power(root, P - 2));
      u scale = power(N, P - 2);
      for (int k = i; k < N; k += N / 2) z[k] = multiply(b[__brev(k) >> 23], scale);
    }]],
  run = function(kernels, t)
    local x = t.list(N, function(i) return i <= N // 2 and t.random(P) or 0 end)
    local y = t.list(N, function(i) return i <= N // 2 and t.random(P) or 0 end)
    local z, want = t.cuda.empty(N, "uint32"), t.list(N, function() return 0 end)
    kernels.product({ grid = 1, block = N // 2 }, t.cuda.array(x, "uint32"),
      t.cuda.array(y, "uint32"), z)
    for i = 1, N // 2 do
      for j = 1, N // 2 do want[i + j - 1] = (want[i + j - 1] + x[i] * y[j]) % P end
    end
    t.same(want, z)
  end,
}
