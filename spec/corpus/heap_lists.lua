-- Linked lists on the device heap: nodes pushed with compare-exchange on the heads, counted and
-- freed by another kernel.
local N, LISTS = 500, 7

return {
  source = [[
    struct node { node *next; int value; };
    __device__ node *heads[7];
    __global__ void push(const int *x, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      node *own = (node *)malloc(sizeof(node));
      own->value = x[i];
      unsigned long long *head = (unsigned long long *)&heads[x[i] % 7], seen;
      unsigned long long old = *(volatile unsigned long long *)head;
      do {
        seen = old;
        own->next = (node *)seen;
        __threadfence();
        old = atomicCAS(head, seen, (unsigned long long)own);
      } while (old != seen);
    }
    __global__ void drain(int *lengths, int *sums) {
      int length = 0, sum = 0;
      for (node *at = heads[threadIdx.x]; at != nullptr; ) {
        length++;
        sum += at->value;
        node *next = at->next;
        free(at);
        at = next;
      }
      heads[threadIdx.x] = nullptr;
      lengths[threadIdx.x] = length;
      sums[threadIdx.x] = sum;
    }
    struct grower {
      int *data; int size, room;
      __device__ grower() : data(new int[2]), size(0), room(2) {}
      __device__ ~grower() { delete[] data; }
      __device__ void add(int v) {
        if (size == room) {
          int *more = new int[room *= 2];
          memcpy(more, data, size * sizeof(int));
          delete[] data;
          data = more;
        }
        data[size++] = v;
      }
    };
    __global__ void collatz(int *out) {
      grower g;
      for (int n = threadIdx.x + 1; n != 1; n = n % 2 ? 3 * n + 1 : n / 2) g.add(n);
      int most = 1;
      for (int i = 0; i < g.size; i++) most = max(most, g.data[i]);
      out[threadIdx.x] = g.size * 100000 + most;
    }]],
  run = function(kernels, t)
    local x, lengths, sums = t.integers(N, 1000), {}, {}
    for i = 1, LISTS do lengths[i], sums[i] = 0, 0 end
    for _, v in ipairs(x) do
      local l = v % LISTS + 1
      lengths[l], sums[l] = lengths[l] + 1, sums[l] + v
    end
    kernels.push({ grid = 8, block = 64 }, t.cuda.array(x, "int32"), N)
    local a, b = t.cuda.empty(LISTS, "int32"), t.cuda.empty(LISTS, "int32")
    kernels.drain({ grid = 1, block = LISTS }, a, b)
    t.same(lengths, a, "lengths")
    t.same(sums, b, "sums")
    local out = t.cuda.empty(40, "int32")
    kernels.collatz({ grid = 1, block = 40 }, out)
    t.same(t.list(40, function(n)
      local steps, most = 0, 1
      while n ~= 1 do
        steps, most = steps + 1, math.max(most, n)
        n = n % 2 == 1 and 3 * n + 1 or n // 2
      end
      return steps * 100000 + most
    end), out, "collatz")
  end,
}
