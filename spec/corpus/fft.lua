-- Fast Fourier transform of rows in shared memory (Stockham's order, radix 2), with cospi and sinpi
-- in double precision and __sincosf-like functions in single precision.
local N, ROWS = 256, 3

return {
  source = [[
    #define N 256
    template <class T> struct pair_of;
    template <> struct pair_of<float> { typedef float2 type; };
    template <> struct pair_of<double> { typedef double2 type; };
    __device__ void turn(float angle, float *s, float *c) { sincospif(angle, s, c); }
    __device__ void turn(double angle, double *s, double *c) { sincospi(angle, s, c); }
    template <class T> __device__ void transform(typename pair_of<T>::type *data) {
      typedef typename pair_of<T>::type complex;
      __shared__ complex buffer[2][N];
      complex *from = buffer[0], *to = buffer[1];
      int i = threadIdx.x;
      data += blockIdx.x * N;
      from[i] = data[i];
      from[i + N / 2] = data[i + N / 2];
      for (int length = 1; length < N; length *= 2) {
        __syncthreads();
        int k = i & (length - 1), at = 2 * i - k;
        complex a = from[i], b = from[i + N / 2];
        T s, c;
        turn(-(T)k / length, &s, &c);
        T re = b.x * c - b.y * s, im = b.x * s + b.y * c;
        to[at].x = a.x + re;
        to[at].y = a.y + im;
        to[at + length].x = a.x - re;
        to[at + length].y = a.y - im;
        complex *t = from;
        from = to;
        to = t;
      }
      __syncthreads();
      data[i] = from[i];
      data[i + N / 2] = from[i + N / 2];
    }
    __global__ void single_fft(float2 *data) { transform<float>(data); }
    __global__ void double_fft(double2 *data) { transform<double>(data); }]],
  run = function(kernels, t)
    local x, want = t.floats(2 * N * ROWS), {}
    local cosine, sine = {}, {}
    for k = 0, N - 1 do
      cosine[k], sine[k] = math.cos(2 * math.pi * k / N), -math.sin(2 * math.pi * k / N)
    end
    for row = 0, ROWS - 1 do
      for k = 0, N - 1 do
        local re, im = 0, 0
        for j = 0, N - 1 do
          local at, w = 2 * (row * N + j) + 1, j * k % N
          re = re + x[at] * cosine[w] - x[at + 1] * sine[w]
          im = im + x[at] * sine[w] + x[at + 1] * cosine[w]
        end
        want[#want + 1], want[#want + 2] = re, im
      end
    end
    local single, double = t.cuda.array(x, "float32"), t.cuda.array(x, "float64")
    kernels.single_fft({ grid = ROWS, block = N // 2 }, single)
    kernels.double_fft({ grid = ROWS, block = N // 2 }, double)
    t.close(want, single, 2e-4, 2e-2, "single")
    t.close(want, double, 1e-11, 1e-11, "double")
  end,
}
