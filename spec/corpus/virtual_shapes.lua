-- Virtual functions: objects made on the device heap by one kernel, called through their base in
-- another, with multiple inheritance and a virtual destructor.
local N = 60

return {
  source = [[
    struct shape {
      __device__ virtual float area() const = 0;
      __device__ virtual ~shape() {}
    };
    struct named { int name; __device__ virtual int label() const { return name; } };
    struct circle : shape, named {
      float r;
      __device__ circle(float r, int n) : r(r) { name = n; }
      __device__ float area() const override { return 3.0f * r * r; }
      __device__ int label() const override { return -name; }
    };
    struct box : shape {
      float w, h;
      __device__ box(float w, float h) : w(w), h(h) {}
      __device__ float area() const override { return w * h; }
    };
    struct square : box {
      int *count;
      __device__ square(float w, int *c) : box(w, w), count(c) {}
      __device__ ~square() override { atomicAdd(count, 1); }
      __device__ float area() const override { return box::area() + 0.5f; }
    };
    __device__ shape *shapes[64];
    __device__ named *names[64];
    __global__ void make(int n, int *count) {
      int i = threadIdx.x;
      if (i >= n) return;
      if (i % 3 == 0) {
        circle *c = new circle(i, i);
        shapes[i] = c;
        names[i] = c;
      } else if (i % 3 == 1) {
        shapes[i] = new box(i, 2);
      } else {
        shapes[i] = new square(i, count);
      }
    }
    __global__ void measure(float *areas, int *labels, int n) {
      int i = threadIdx.x;
      if (i >= n) return;
      areas[i] = shapes[n - 1 - i]->area();
      labels[i] = names[i] != nullptr ? names[i]->label() : 7;
    }
    __global__ void destroy(int n) { if (threadIdx.x < n) delete shapes[threadIdx.x]; }]],
  run = function(kernels, t)
    local count, areas, labels = t.cuda.zeros(1, "int32"), t.cuda.empty(N), t.cuda.empty(N, "int32")
    local one = { grid = 1, block = 64 }
    kernels.make(one, N, count)
    kernels.measure(one, areas, labels, N)
    kernels.destroy(one, N)
    t.same(t.list(N, function(k)
      local i = N - k
      return i % 3 == 0 and 3 * i * i or i % 3 == 1 and 2 * i or i * i + 0.5
    end), areas, "areas")
    t.same(t.list(N, function(k) return (k - 1) % 3 == 0 and 1 - k or 7 end), labels, "labels")
    t.same({ N // 3 }, count, "destroyed")
  end,
}
