// Copies that are waited for, and barrier objects in shared memory.
// async.ptx: make -C cpu/test/ptx
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>

using block_barrier = cuda::barrier<cuda::thread_scope_block>;
enum { THREADS = 128, STAGES = 2 };

// Each tile is copied while the one before it is used, by other warps than those that copied it.
extern "C" __global__ void pipelined (const int4 *in, int *out, int tiles) {
  __shared__ int4 tile[STAGES][THREADS];
  int t = threadIdx.x, sum = 0;
  __pipeline_memcpy_async(&tile[0][t], &in[t], sizeof(int4));
  __pipeline_commit();
  for (int k = 0; k < tiles; k++) {
    if (k + 1 < tiles) __pipeline_memcpy_async(&tile[(k + 1) % STAGES][t], &in[(k + 1) * THREADS + t], sizeof(int4));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int4 v = tile[k % STAGES][(t + 37) % THREADS];
    sum = sum * 3 + v.x + 2 * v.y + 4 * v.z + 8 * v.w;
    __syncthreads();
  }
  out[t] = sum;
}

// The last bytes of each element, more from thread to thread, are not read.
extern "C" __global__ void zero_filled (const int4 *in, int4 *out) {
  __shared__ int4 tile[THREADS];
  int t = threadIdx.x;
  tile[t] = make_int4(-1, -1, -1, -1);
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int4), threadIdx.x % 17);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = tile[t];
}

// Rounds of arrival and waiting by token, everybody reads what another warp wrote.
extern "C" __global__ void arrive_wait (int *out, int rounds) {
  __shared__ block_barrier bar;
  __shared__ int values[THREADS];
  int t = threadIdx.x, v = t;
  if (t == 0) init(&bar, THREADS);
  __syncthreads();
  for (int r = 0; r < rounds; r++) {
    values[t] = v;
    bar.wait(bar.arrive());
    v += values[(t + 33) % THREADS];
    bar.arrive_and_wait();
  }
  out[t] = v;
}

// Odd threads leave after the first phase; the others go on without them.
extern "C" __global__ void drop_out (int *out, int rounds) {
  __shared__ block_barrier bar;
  __shared__ int sum;
  int t = threadIdx.x;
  if (t == 0) { init(&bar, THREADS); sum = 0; }
  __syncthreads();
  if (t & 1) {
    atomicAdd(&sum, 1000);
    bar.arrive_and_drop();
    return;
  }
  bar.arrive_and_wait();
  for (int r = 0; r < rounds; r++) {
    atomicAdd(&sum, 1);
    bar.arrive_and_wait();
  }
  if (t == 0) *out = sum;
}

// Warp 0 fills the buffer, the other warps use it up: two barriers, one per direction.
extern "C" __global__ void produce_consume (const int *in, int *out, int tiles) {
  __shared__ block_barrier full, empty;
  __shared__ int tile[32];
  int t = threadIdx.x, sum = 0;
  if (t == 0) { init(&full, THREADS); init(&empty, THREADS); }
  __syncthreads();
  for (int k = 0; k < tiles; k++) {
    if (t < 32) {
      if (k > 0) empty.arrive_and_wait();
      cuda::memcpy_async(&tile[t], &in[k * 32 + t], sizeof(int), full);
      (void)full.arrive();
    } else {
      full.arrive_and_wait();
      sum = sum * 5 + tile[(t * 7) % 32];
      if (k + 1 < tiles) (void)empty.arrive();
    }
  }
  out[t] = sum;
}

extern "C" __global__ void group_copy (const int *in, int *out, int n) {
  extern __shared__ int buffer[];
  auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, buffer, in, sizeof(int) * n);
  cooperative_groups::wait(block);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = buffer[n - 1 - i];
}

__device__ unsigned shared_at (const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

#define TEST(x, wait, parity) \
  asm volatile("{ .reg .pred q; mbarrier." wait " q, [%1], %2; selp.u32 %0, 1, 0, q; }" : "=r"(x) : "r"(at), "r"(parity) : "memory")
#define CALL(text, ...) asm volatile(text :: "r"(at), ##__VA_ARGS__ : "memory")

// Parities, and a phase that waits for bytes as well as threads. Some forms are of later architectures than the file's.
extern "C" __global__ void transactions (int *out) {
  __shared__ unsigned long long bar;
  unsigned at = shared_at(&bar), done[8], pending[2];
  unsigned long long state[2];
  CALL("mbarrier.init.shared::cta.b64 [%0], 2;");
  TEST(done[0], "test_wait.parity.shared.b64", 1);
  TEST(done[1], "test_wait.parity.acquire.cta.shared::cta.b64", 0);
  asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 1;" : "=l"(state[0]) : "r"(at) : "memory");
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 %0, [%1], 48;" : "=l"(state[1]) : "r"(at) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending[0]) : "l"(state[0]));
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending[1]) : "l"(state[1]));
  CALL("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;");
  CALL("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], 60;");
  TEST(done[2], "try_wait.parity.shared::cta.b64", 0);
  CALL("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], 4;");
  TEST(done[3], "try_wait.parity.shared::cta.b64", 0);
  TEST(done[4], "try_wait.parity.shared::cta.b64", 1);
  asm volatile("{ .reg .pred q; mbarrier.test_wait.shared.b64 q, [%1], %2; selp.u32 %0, 1, 0, q; }"
               : "=r"(done[5]) : "r"(at), "l"(state[0]) : "memory");
  CALL("cp.async.mbarrier.arrive.shared.b64 [%0];");
  CALL("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];");
  CALL("mbarrier.arrive_drop.expect_tx.shared::cta.b64 _, [%0], 0;");
  TEST(done[6], "try_wait.parity.acquire.cta.shared::cta.b64", 1);
  CALL("mbarrier.arrive.shared::cta.b64 _, [%0];");        // one thread was dropped
  TEST(done[7], "test_wait.parity.shared.b64", 0);
  CALL("mbarrier.inval.shared.b64 [%0];");
  for (int i = 0; i < 8; i++) out[i] = done[i];
  out[8] = pending[0];
  out[9] = pending[1];
}

extern "C" __global__ void not_initialized (int *out) {
  __shared__ unsigned long long bar;
  unsigned long long state;
  bar = 0;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_at(&bar)) : "memory");
  *out = (int)state;
}

extern "C" __global__ void copy_from (const int4 *in) {
  __shared__ int4 tile[32];
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int4));
}

extern "C" __global__ void never_complete (int *out) {
  __shared__ block_barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
  __syncthreads();
  bar.arrive_and_wait();
  *out = 1;
}
