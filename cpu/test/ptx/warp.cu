// Exchange between the lanes of a warp.
// warp.ptx: make -C cpu/test/ptx
#define FULL 0xffffffffu

extern "C" __global__ void shuffles (const int *in, int *out) {
  int t = threadIdx.x, v = in[t];
  int *o = out + 8 * t;
  o[0] = __shfl_sync(FULL, v, (t * 7 + 3) & 31);
  o[1] = __shfl_up_sync(FULL, v, 3);
  o[2] = __shfl_down_sync(FULL, v, 5);
  o[3] = __shfl_xor_sync(FULL, v, 9);
  o[4] = __shfl_sync(FULL, v, t & 15, 8);
  o[5] = __shfl_up_sync(FULL, v, 2, 8);
  o[6] = __shfl_down_sync(FULL, v, 2, 16);
  o[7] = __shfl_xor_sync(FULL, v, 20, 16);
}

// d|p straight from PTX.
extern "C" __global__ void shuffle_pred (const int *in, int *out) {
  int t = threadIdx.x, v = in[t], d, p;
  asm volatile("{ .reg .pred q; shfl.sync.down.b32 %0|q, %2, 6, 0x1f, -1; selp.s32 %1, 1, 0, q; }" : "=r"(d), "=r"(p) : "r"(v));
  out[2 * t] = d; out[2 * t + 1] = p;
}

// Lanes of both sides of a branch exchange although they stand at different instructions.
extern "C" __global__ void diverged (const int *in, int *out) {
  int t = threadIdx.x, v = in[t], r;
  if (t & 1) r = __shfl_xor_sync(FULL, v, 1) * 10;
  else r = __shfl_xor_sync(FULL, v, 1) + 7;
  out[t] = r;
}

// Halves with their own masks, one of them looping longer.
extern "C" __global__ void halves (const int *in, int *out) {
  int t = threadIdx.x, v = in[t];
  if (t < 16) for (int k = 8; k > 0; k /= 2) v += __shfl_down_sync(0xffffu, v, k, 16);
  else for (int k = 1; k < 16; k *= 2) v += __shfl_xor_sync(0xffff0000u, v, k, 16);
  __syncwarp();
  out[t] = v;
}

// One converged fragment, a member mask per lane.
extern "C" __global__ void groups (const int *in, int *out) {
  int t = threadIdx.x, v = in[t];
  unsigned mine = __match_any_sync(FULL, v & 3);
  out[2 * t] = (int)__reduce_add_sync(mine, v);
  out[2 * t + 1] = __popc(__ballot_sync(mine, v > 20));
}

extern "C" __global__ void votes (const int *in, int *out) {
  int t = threadIdx.x, v = in[t];
  int *o = out + 6 * t;
  o[0] = __all_sync(FULL, v > 3);
  o[1] = __any_sync(FULL, v == 40);
  o[2] = (int)__ballot_sync(FULL, v % 3 == 0);
  o[3] = __uni_sync(FULL, v > 1000);
  o[4] = (int)__match_any_sync(FULL, (unsigned long long)(v % 5) << 40);
  int p;
  o[5] = (int)__match_all_sync(FULL, v / 1000, &p) ^ p;
}

extern "C" __global__ void reductions (const int *in, int *out) {
  int t = threadIdx.x, v = in[t];
  int *o = out + 8 * t;
  o[0] = __reduce_add_sync(FULL, v);
  o[1] = __reduce_min_sync(FULL, v);
  o[2] = __reduce_max_sync(FULL, v);
  o[3] = (int)__reduce_min_sync(FULL, (unsigned)v);
  o[4] = (int)__reduce_max_sync(FULL, (unsigned)v);
  o[5] = (int)__reduce_and_sync(FULL, (unsigned)v);
  o[6] = (int)__reduce_or_sync(FULL, (unsigned)v);
  o[7] = (int)__reduce_xor_sync(FULL, (unsigned)v);
}

// Ended lanes are no longer members.
extern "C" __global__ void with_ended (const int *in, int *out) {
  int t = threadIdx.x;
  if (t >= 20) return;
  int v = in[t];
  for (int k = 16; k > 0; k /= 2) v = max(v, __shfl_xor_sync(FULL, v, k));
  out[t] = v;
}

// The later lanes end while the others already wait for them.
extern "C" __global__ void end_while_waited (const int *in, int *out) {
  int t = threadIdx.x, v = in[t];
  if (t >= 16) {
    for (int k = 0; k < 50; k++) v = v * 3 + k;
    out[t] = v;
    return;
  }
  out[t] = __popc(__ballot_sync(FULL, v > 0));
}

extern "C" __global__ void block_reduce (const int *in, int *out, int n) {
  __shared__ int part[32];
  int t = threadIdx.x, v = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(FULL, v, k);
  if (t % 32 == 0) part[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    v = t < blockDim.x / 32 ? part[t] : 0;
    for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(FULL, v, k);
    if (t == 0) atomicAdd(out, v);
  }
}
