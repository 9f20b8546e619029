-- Locks: a spin lock taken by every thread of diverged warps, a ticket lock, and locks of pairs of
-- accounts taken in order.
local N, ACCOUNTS = 256, 16

return {
  source = [[
    __device__ int spin, total;
    __global__ void spin_lock(const int *x) {
      volatile int *sum = &total;
      bool done = false;
      while (!done) {
        if (atomicCAS(&spin, 0, 1) == 0) {
          __threadfence();
          *sum = *sum + x[blockIdx.x * blockDim.x + threadIdx.x];
          __threadfence();
          atomicExch(&spin, 0);
          done = true;
        }
      }
    }
    __device__ unsigned next_ticket, now_serving;
    __device__ int served;
    __global__ void ticket_lock(int *order) {
      if (threadIdx.x != 0) return;
      for (int i = 0; i < 3; i++) {
        unsigned mine = atomicAdd(&next_ticket, 1);
        while (*(volatile unsigned *)&now_serving != mine) ;
        __threadfence();
        volatile int *s = &served;
        order[*s] = mine;
        *s = *s + 1;
        __threadfence();
        atomicAdd(&now_serving, 1);
      }
    }
    __device__ int account_locks[16];
    __global__ void transfer(int *balance, const int *from, const int *to, const int *amount) {
      int i = blockIdx.x * blockDim.x + threadIdx.x, a = from[i], b = to[i];
      if (a == b) return;
      int low = min(a, b), high = max(a, b);
      for (bool done = false; !done; ) {
        if (atomicCAS(&account_locks[low], 0, 1) == 0) {
          if (atomicCAS(&account_locks[high], 0, 1) == 0) {
            __threadfence();
            volatile int *v = balance;
            v[a] = v[a] - amount[i];
            v[b] = v[b] + amount[i];
            __threadfence();
            atomicExch(&account_locks[high], 0);
            done = true;
          }
          atomicExch(&account_locks[low], 0);
        }
      }
    }]],
  run = function(kernels, t)
    local cuda, x, sum = t.cuda, t.integers(N, 1000), 0
    for _, v in ipairs(x) do sum = sum + v end
    kernels.spin_lock({ grid = 4, block = N // 4 }, cuda.array(x, "int32"))
    t.same(sum, t.module:global "total":item(), "spin lock")
    local order = cuda.empty(30, "int32")
    kernels.ticket_lock({ grid = 10, block = 32 }, order)
    t.same(t.list(30, function(i) return i - 1 end), order, "tickets")
    local from, to = t.integers(N, ACCOUNTS), t.integers(N, ACCOUNTS)
    local want = t.list(ACCOUNTS, function() return 5000 end)
    for i = 1, N do
      want[from[i] + 1] = want[from[i] + 1] - x[i]
      want[to[i] + 1] = want[to[i] + 1] + x[i]
    end
    local balance = cuda.full(ACCOUNTS, 5000, "int32")
    kernels.transfer({ grid = 4, block = N // 4 }, balance, cuda.array(from, "int32"),
      cuda.array(to, "int32"), cuda.array(x, "int32"))
    t.same(want, balance, "accounts")
  end,
}
