// Functions: direct, recursive, through pointers, virtual.
// calls.ptx: make -C cpu/test/ptx

__device__ __noinline__ int fib (int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

extern "C" __global__ void fibs (const int *in, int *out) { out[threadIdx.x] = fib(in[threadIdx.x]); }

struct pair { int a; double b; short c[3]; };
__device__ __noinline__ pair twist (pair p, int k) {
  pair r;
  r.a = (int)p.b + k; r.b = p.a * 0.5;
  for (int i = 0; i < 3; i++) r.c[i] = (short)(p.c[2 - i] + k);
  return r;
}
extern "C" __global__ void structs (const pair *in, pair *out) {
  int t = threadIdx.x;
  out[t] = twist(twist(in[t], t), 3);
}

__device__ __noinline__ int add1 (int x) { return x + 1; }
__device__ __noinline__ int times3 (int x) { return x * 3; }
__device__ __noinline__ int loops (int x) { int v = 0; for (int k = 0; k < x; k++) v += k * k; return v; }
__device__ int (*const table[3]) (int) = { add1, times3, loops };

extern "C" __global__ void indirect (const int *in, int *out) {
  int t = threadIdx.x;
  out[t] = table[in[t] % 3](in[t]);
}

struct shape { __device__ virtual int area () const = 0; };
struct square : shape { int s; __device__ square (int n) : s(n) {} __device__ __noinline__ int area () const override { return s * s; } };
struct strip : shape { int a, b; __device__ strip (int n) : a(n), b(n + 2) {} __device__ __noinline__ int area () const override { return a * b; } };

extern "C" __global__ void virtuals (const int *in, int *out) {
  int t = threadIdx.x, n = in[t];
  square q(n);
  strip r(n);
  const shape *s = n & 1 ? (const shape *)&q : (const shape *)&r;
  out[t] = s->area() + (n % 5 == 0 ? s->area() : 0);
}

// Both sides of a branch call the same function; they may not share a frame's place in different calls.
__device__ __noinline__ double mixed (int x, double y) { double z = y; for (int k = 0; k < (x & 7); k++) z = z * 1.5 + x; return z; }
extern "C" __global__ void both_sides (const int *in, double *out) {
  int t = threadIdx.x;
  double v;
  if (in[t] & 1) v = mixed(in[t], 2.0); else v = mixed(in[t] + 1, 3.0) - (double)add1(in[t]);
  out[t] = v;
}

__device__ __noinline__ int deep (volatile int *p, int n) {
  int local[8];
  for (int i = 0; i < 8; i++) local[i] = p[i] + n;
  return n == 0 ? local[3] : deep(p, n - 1) + local[n & 7];
}
extern "C" __global__ void depth (int *p, int *out, int n) { out[threadIdx.x] = deep(p, n + threadIdx.x % 3); }

// Without local variables.
extern "C" __global__ void endless (int *out) { out[threadIdx.x] = fib(1 << 30); }

// A barrier inside a function that two branches call.
__device__ __noinline__ int meet (int *s, int v) {
  s[threadIdx.x] = v;
  asm volatile("barrier.sync 0;" ::: "memory");
  return s[(threadIdx.x + 1) % 64];
}
extern "C" __global__ void barrier_in_call (int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  out[t] = t % 3 ? meet(s, t) : meet(s, -t) * 2;
}

extern "C" __global__ void null_call (int (**f) (int), int *out) { out[threadIdx.x] = f[threadIdx.x](1); }
