-- cuda::latch, cuda::counting_semaphore and cuda::binary_semaphore between the warps of a block and
-- between blocks.
return {
  heavy = true,
  needs = "cuda/latch",
  source = [[
    #include <cuda/latch>
    #include <cuda/semaphore>
    __global__ void start_together(int *out) {
      __shared__ cuda::latch<cuda::thread_scope_block> *ready;
      __shared__ alignas(cuda::latch<cuda::thread_scope_block>) char place[sizeof *ready];
      __shared__ int values[96];
      if (threadIdx.x == 0) ready = new (place) cuda::latch<cuda::thread_scope_block>(96);
      __syncthreads();
      values[threadIdx.x] = threadIdx.x * threadIdx.x;
      if (threadIdx.x < 64) {
        ready->arrive_and_wait();
        out[threadIdx.x] = values[95 - threadIdx.x];
      } else {
        ready->count_down();
      }
    }
    using few = cuda::counting_semaphore<cuda::thread_scope_device, 3>;
    __device__ cuda::std::aligned_storage<sizeof(few), alignof(few)>::type place;
    __global__ void make() { new (&place) few(2); }
    __global__ void at_most_two(int *inside, int *most, int *visits) {
      if (threadIdx.x != 0) return;
      few &gate = *(few *)&place;
      for (int i = 0; i < 4; i++) {
        gate.acquire();
        atomicMax(most, atomicAdd(inside, 1) + 1);
        atomicAdd(visits, 1);
        atomicSub(inside, 1);
        gate.release();
      }
    }
    __global__ void ping_pong(int *log) {
      __shared__ alignas(8) char a[sizeof(cuda::binary_semaphore<cuda::thread_scope_block>)],
        b[sizeof a];
      using flag = cuda::binary_semaphore<cuda::thread_scope_block>;
      __shared__ int n;
      if (threadIdx.x == 0) { new (a) flag(1); new (b) flag(0); n = 0; }
      __syncthreads();
      if (threadIdx.x % 32 != 0) return;
      flag &own = *(flag *)(threadIdx.x == 0 ? a : b), &other = *(flag *)(threadIdx.x == 0 ? b : a);
      for (int i = 0; i < 5; i++) {
        own.acquire();
        log[n++] = threadIdx.x;
        other.release();
      }
    }]],
  run = function(kernels, t)
    local out = t.cuda.empty(64, "int32")
    kernels.start_together({ grid = 1, block = 96 }, out)
    t.same(t.list(64, function(i) return (96 - i) * (96 - i) end), out, "latch")
    local inside, most, visits = t.cuda.zeros(1, "int32"), t.cuda.zeros(1, "int32"),
      t.cuda.zeros(1, "int32")
    kernels.make({ grid = 1, block = 1 })
    kernels.at_most_two({ grid = 8, block = 32 }, inside, most, visits)
    t.same({ 0, 32 }, { inside[1], visits[1] }, "visits")
    assert(most[1] == 1 or most[1] == 2, "too many inside")
    local log = t.cuda.empty(10, "int32")
    kernels.ping_pong({ grid = 1, block = 64 }, log)
    t.same({ 0, 32, 0, 32, 0, 32, 0, 32, 0, 32 }, log, "turns")
  end,
}
