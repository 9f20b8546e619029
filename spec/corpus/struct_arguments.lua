-- Structs passed by value to functions that are not inlined and that change them, index them and
-- call their methods: matrices and their powers, a table of functions, bytes that do not fill
-- words.
return {
  source = [[
    struct matrix {
      double v[25];
      __device__ double &at(int r, int c) { return v[r * 5 + c]; }
      __device__ __noinline__ matrix times(matrix o) const {
        matrix m;
        for (int i = 0; i < 25; i++) {
          m.v[i] = 0;
          for (int k = 0; k < 5; k++) m.v[i] += v[i / 5 * 5 + k] * o.at(k, i % 5);
        }
        return m;
      }
    };
    __device__ __noinline__ matrix power(matrix m, int n) {
      matrix whole = m;
      for (; n > 1; n--) {
        m.v[n % 25] += n;
        whole = whole.times(m);
      }
      return whole;
    }
    __device__ matrix filled(int i) {
      matrix m;
      for (int j = 0; j < 25; j++) m.v[j] = (i + j) % 3;
      return m;
    }
    __global__ void powers(double *y) {
      matrix m = power(filled(threadIdx.x), 1 + threadIdx.x % 5);
      for (int j = 0; j < 25; j++) y[threadIdx.x * 25 + j] = m.v[j];
    }

    struct letters { char a[7]; };
    __device__ __noinline__ int changed(letters l, int i) {
      char *p = &l.a[i % 7];
      *p += i;
      return l.a[0] + l.a[3] * 10 + l.a[6] * 100;
    }
    __device__ __noinline__ int chosen(letters l, int i) { return l.a[i * 5 % 7]; }
    __device__ __noinline__ int down(letters l, int i) {
      l.a[i % 7]++;
      return i % 4 == 0 ? l.a[3] : down(l, i - 1) + l.a[i % 7];
    }
    typedef int (*rule)(letters, int);
    __constant__ rule rules[3] = { changed, chosen, down };
    __global__ void calls(letters l, int *y) {
      int i = threadIdx.x;
      y[i] = rules[i % 3](l, i) + 10000 * l.a[i % 7];
    }]],
  run = function(kernels, t)
    local y = t.cuda.empty(64 * 25, "float64")
    kernels.powers({ grid = 1, block = 64 }, y)
    local function times(a, b)
      return t.list(25, function(i)
        local r, c, sum = (i - 1) // 5 * 5, (i - 1) % 5, 0
        for k = 0, 4 do sum = sum + a[r + k + 1] * b[k * 5 + c + 1] end
        return sum
      end)
    end
    local function power(m, n)
      local whole, changed = m, table.move(m, 1, 25, 1, {})
      for k = n, 2, -1 do
        changed[k % 25 + 1] = changed[k % 25 + 1] + k
        whole = times(whole, changed)
      end
      return whole
    end
    local want = {}
    for i = 0, 63 do
      local m = t.list(25, function(j) return (i + j - 1) % 3 end)
      table.move(power(m, 1 + i % 5), 1, 25, #want + 1, want)
    end
    t.same(want, y, "powers")

    local z, bytes = t.cuda.empty(64, "int32"), { 3, 1, 4, 1, 5, 9, 2 }
    kernels.calls({ grid = 1, block = 64 }, string.char(table.unpack(bytes)), z)
    local function down(l, i)
      l = table.move(l, 1, 7, 1, {})
      l[i % 7 + 1] = l[i % 7 + 1] + 1
      return i % 4 == 0 and l[4] or down(l, i - 1) + l[i % 7 + 1]
    end
    t.same(t.list(64, function(k)
      local i, l = k - 1, table.move(bytes, 1, 7, 1, {})
      local rest = 10000 * l[i % 7 + 1]
      if i % 3 == 1 then return l[i * 5 % 7 + 1] + rest end
      if i % 3 == 2 then return down(l, i) + rest end
      l[i % 7 + 1] = l[i % 7 + 1] + i
      return l[1] + l[4] * 10 + l[7] * 100 + rest
    end), z, "calls")
  end,
}
