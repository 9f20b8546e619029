-- A binary search tree in arrays: threads insert at once by compare-exchange on child links, then a
-- traversal with a stack of its own writes the keys in order.
local N = 400

return {
  source = [[
    struct tree_node { int key, child[2]; };
    __device__ int root = -1;
    __global__ void insert(const int *keys, tree_node *nodes, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      nodes[i] = { keys[i], { -1, -1 } };
      __threadfence();
      int *link = &root;
      for (;;) {
        int at = atomicCAS(link, -1, i);
        if (at == -1) return;
        int key = *(volatile int *)&nodes[at].key;
        link = &nodes[at].child[keys[i] >= key];
      }
    }
    __global__ void in_order(const tree_node *nodes, int *out, int *height) {
      int stack[64], top = 0, at = root, n = 0, high = 0;
      while (at != -1 || top > 0) {
        while (at != -1) {
          stack[top++] = at;
          at = nodes[at].child[0];
        }
        high = max(high, top);
        at = stack[--top];
        out[n++] = nodes[at].key;
        at = nodes[at].child[1];
      }
      *height = high;
    }]],
  run = function(kernels, t)
    local keys = t.integers(N, 10000)
    local nodes, out = t.cuda.empty(3 * N, "int32"), t.cuda.empty(N, "int32")
    local at = t.cuda.ptr(nodes.pointer)
    t.module:global "root":fill(-1)
    kernels.insert({ threads = N, block = 64 }, t.cuda.array(keys, "int32"), at, N)
    kernels.in_order({ grid = 1, block = 1 }, at, out, t.cuda.zeros(1, "int32"))
    table.sort(keys)
    t.same(keys, out)
  end,
}
