-- Atomic variables of 1 and 2 bytes, which libcu++ changes with instructions of the 32-bit word
-- around them: at the end of an array, where the word is not the array's own as a whole, and beside
-- others.
local cuda = require "luacuda"
local helper = require "spec.helper"

local SOURCE = [==[
  #include <cuda/atomic>
  template <class T>
  using global_ref = cuda::atomic_ref<T, cuda::thread_scope_device>;
  template <class T>
  using shared_ref = cuda::atomic_ref<T, cuda::thread_scope_block>;

  __device__ unsigned char variable;
  __global__ void change_variable(unsigned char *out) {
    global_ref<unsigned char>(variable).fetch_add(3, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0) *out = global_ref<unsigned char>(variable).exchange(0);
  }

  template <class T>
  __global__ void change(T *p, int at, T *out) {
    extern __shared__ unsigned char dynamic[];
    T *s = (T *)dynamic;
    if (threadIdx.x <= at) s[threadIdx.x] = 1;
    __syncthreads();
    global_ref<T>(p[at]).fetch_add(1);
    shared_ref<T>(s[at]).fetch_add(2, cuda::memory_order_relaxed);
    __syncthreads();
    if (threadIdx.x == 0) *out = global_ref<T>(p[at]).load() + shared_ref<T>(s[at]).load();
  }

  // The loop of programs older than such instructions.
  __global__ void by_hand(unsigned short *p, int at) {
    unsigned *word = (unsigned *)((size_t)(p + at) & ~(size_t)3), old = *word, assumed;
    bool high = ((size_t)(p + at) & 2) != 0;
    do {
      assumed = old;
      unsigned one = high ? (assumed & 0xffff) | (((assumed >> 16) + 1) << 16)
                          : (assumed & 0xffff0000) | ((assumed + 1) & 0xffff);
      old = atomicCAS(word, assumed, one);
    } while (old != assumed);
  }
]==]

describe("Atomics of 1 and 2 bytes", function()
  helper.for_each_device(function()
    local m = cuda.module { source = SOURCE,
      instances = { "change<unsigned char>", "change<unsigned short>" } }

    for _, type in ipairs { "uint8", "uint16" } do
      it("reach every element of arrays of any size: " .. type, function()
        local change = m:kernel(
          ("change<%s>"):format(type == "uint8" and "unsigned char" or "unsigned short"))
        local bytes = type == "uint8" and 1 or 2
        for n = 1, 9 do
          for at = 0, n - 1 do
            local p, out = cuda.full(n, 7, type), cuda.zeros(1, type)
            change({ grid = 1, block = 40, shared = (at + 1) * bytes }, p, at, out)
            local wanted = {}
            for i = 1, n do wanted[i] = i - 1 == at and 47 or 7 end
            assert.same(wanted, p:totable())
            assert.equal(47 + 81, out[1])
          end
        end
      end)
    end

    it("may be variables of a module", function()
      local out = cuda.zeros(1, "uint8")
      m:kernel "change_variable"({ grid = 1, block = 64 }, out)
      assert.equal(192, out[1])
    end)

    it("may be made of a load and atomicCAS", function()
      local by_hand = m:kernel "by_hand"
      for n = 1, 5 do
        local p = cuda.zeros(n, "uint16")
        by_hand({ grid = 2, block = 50 }, p, n - 1)
        assert.equal(100, p[n])
        assert.equal(100, p:sum())
      end
    end)
  end)
end)
