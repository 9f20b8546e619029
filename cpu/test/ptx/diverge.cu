// Control flow in which the lanes of a warp part and meet again.
// diverge.ptx: make -C cpu/test/ptx

extern "C" __global__ void nested (const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = 0;
  if (i >= n) return;
  int x = in[i];
  if (x & 1) {
    if (x & 2) v += 3; else v -= 5;
    if (x & 4) {
      for (int k = 0; k < (x & 15); k++) {
        if (k == 7) continue;
        if (k * x > 90) break;
        v += k ^ x;
      }
    } else if (x & 8) v *= 7;
    else v = ~v;
  } else {
    int k = x & 31;
    while (k > 0) {
      if (k % 3 == 0) { k -= 2; v += 11; continue; }
      if (k % 7 == 0) break;
      for (int j = 0; j < k; j++) v += j & x;
      k--;
    }
  }
  out[i] = v + x;
}

extern "C" __global__ void switched (const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = in[i], v = 1;
  switch (x % 11) {
    case 0: v = x * 3; break;
    case 1: v = x - 7;               // falls through
    case 2: v ^= 0x55; break;
    case 3: for (int k = 0; k < x % 5; k++) v = v * 31 + k; break;
    case 5: case 6: v = x / 3; break;
    case 9: v = -x; if (x & 16) break; v += 100; break;
    default: v = x & 0xff; break;
  }
  out[i] = v;
}

// Two ways into one cycle: no natural loop.
extern "C" __global__ void irreducible (const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = in[i] & 255, v = 0, steps = 0;
  if (x & 1) goto middle;
top:
  v += x;
  x = x * 5 + 1 & 255;
  if (x % 7 == 0) goto out;
middle:
  v ^= x << 2;
  x = x * 3 + 2 & 255;
  if (++steps > 40) goto out;
  if (x & 8) goto middle;
  if (x % 13 != 0) goto top;
out:
  out[i] = v * 64 + steps;
}

// Every lane loops its own number of times; the sum needs all lanes together again.
extern "C" __global__ void regather (const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = 0, x = in[i % n];
  for (int k = 0; k < x % 40; k++) v += k * x;
  unsigned together = __activemask();
  out[2 * i] = v;
  out[2 * i + 1] = (int)together;
}

// The loop tests at its end: lanes leave it where that branch is not taken.
extern "C" __global__ void regather_behind (const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = 0, k = 0, x = in[i % n];
#pragma unroll 1
  do v += k * x + (v >> 3);
  while (++k < x % 40);
  unsigned together = __activemask();
  out[2 * i] = v;
  out[2 * i + 1] = (int)together;
}

extern "C" __global__ void collatz (const unsigned *in, int *out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned long long x = in[i];
    int steps = 0;
    while (x > 1) { x = x & 1 ? 3 * x + 1 : x / 2; steps++; }
    out[i] = steps;
  }
}

extern "C" __global__ void where (int *out) {
  int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  int b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int threads = blockDim.x * blockDim.y * blockDim.z;
  int *o = out + 4 * (b * threads + t);
  o[0] = threadIdx.x | threadIdx.y << 10 | threadIdx.z << 20;
  o[1] = blockIdx.x | blockIdx.y << 10 | blockIdx.z << 20;
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  o[2] = (int)lane;
  o[3] = gridDim.x | gridDim.y << 10 | gridDim.z << 20;
}
