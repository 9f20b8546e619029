// Barriers of a block.
// barriers.ptx: make -C cpu/test/ptx

extern "C" __global__ void reverse (int *data, int n) {
  extern __shared__ int tile[];
  int i = blockIdx.x * n + threadIdx.x;
  tile[threadIdx.x] = data[i];
  __syncthreads();
  data[i] = tile[n - 1 - threadIdx.x];
}

extern "C" __global__ void block_sum (const int *in, int *out) {
  __shared__ int part[256];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// A diverged warp arrives in pieces.
extern "C" __global__ void pieces (int *out) {
  __shared__ int s[128];
  int t = threadIdx.x;
  if (t & 1) { s[t] = t * 3; asm volatile("barrier.sync 0;" ::: "memory"); out[t] = s[t - 1] + 1; }
  else { s[t] = t * 5; asm volatile("barrier.sync 0;" ::: "memory"); out[t] = s[t + 1] + 2; }
}

extern "C" __global__ void reds (const int *in, int *out) {
  int t = threadIdx.x, p = in[t];
  int *o = out + 3 * t;
  o[0] = __syncthreads_count(p > 10);
  o[1] = __syncthreads_and(p >= 0);
  o[2] = __syncthreads_or(p == 77);
}

// Two halves with a barrier each, counted; then both meet.
extern "C" __global__ void named (int *out) {
  __shared__ int s[128];
  int t = threadIdx.x, half = t / 64;
  s[t] = t;
  for (int k = 0; k < 5 + half * 7; k++) {
    asm volatile("bar.sync %0, 64;" :: "r"(half + 1) : "memory");
    int v = s[half * 64 + (t + 1) % 64];
    asm volatile("bar.sync %0, 64;" :: "r"(half + 1) : "memory");
    s[t] = v + 1;
  }
  __syncthreads();
  out[t] = s[127 - t];
}

// Warp 0 produces, warp 1 consumes.
extern "C" __global__ void produce (int *out) {
  __shared__ volatile int box[32];
  int t = threadIdx.x % 32;
  for (int k = 0; k < 10; k++) {
    if (threadIdx.x < 32) {
      asm volatile("bar.sync 3, 64;" ::: "memory");         // empty
      box[t] = k * 100 + t;
      asm volatile("bar.arrive 4, 64;" ::: "memory");       // full
    } else {
      asm volatile("bar.arrive 3, 64;" ::: "memory");
      asm volatile("bar.sync 4, 64;" ::: "memory");
      out[k * 32 + t] = box[31 - t];
    }
  }
}

// Ended threads no longer count.
extern "C" __global__ void early_exit (int *out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = t;
  if (t % 3 == 0 || t >= 64) return;
  __syncthreads();
  out[t] = s[(t + 32) % 64];
}

// The last round has ended threads in a counted barrier's warps.
extern "C" __global__ void exit_counted (int *out) {
  int t = threadIdx.x;
  if (t % 32 > 9) return;
  asm volatile("bar.sync 2, 96;" ::: "memory");
  out[t] = t + 1;
}
