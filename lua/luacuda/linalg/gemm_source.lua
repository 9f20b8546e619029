-- gemm_source.lua: CUDA text of the matrix product: tiles in shared memory, a block of the tile per
-- thread in registers. One kernel per dtype and tile takes any strides, so transposed and broadcast
-- views need no copy. Where there are few tiles and many terms, blocks share a tile's terms.

local dtypes = require "luacuda.base.dtypes"
local prelude = require "luacuda.builder.prelude"

-- Tiles by the bytes of the type of the sums: rows and columns of the product per block and per
-- thread; terms per step. Chosen for 256 threads per block (64 in flat and tiny tiles), at most 128
-- registers per thread and 32 KB of shared memory per block. The number of elements of a side
-- divides the number of threads per block, and the terms per step times the elements of a side are
-- a multiple of it.
local TILES = {
  flat = {
    [4] = { rows = 64, columns = 8, depth = 8, thread_rows = 1, thread_columns = 8 },
    [8] = { rows = 64, columns = 8, depth = 8, thread_rows = 1, thread_columns = 8 },
    [16] = { rows = 64, columns = 8, depth = 8, thread_rows = 1, thread_columns = 8 },
  },
  thin = {
    [4] = { rows = 128, columns = 8, depth = 32, thread_rows = 4, thread_columns = 1 },
    [8] = { rows = 64, columns = 8, depth = 16, thread_rows = 4, thread_columns = 1 },
    [16] = { rows = 64, columns = 8, depth = 16, thread_rows = 4, thread_columns = 1 },
  },
  tiny = {
    [4] = { rows = 16, columns = 16, depth = 16, thread_rows = 2, thread_columns = 2 },
    [8] = { rows = 16, columns = 16, depth = 16, thread_rows = 2, thread_columns = 2 },
    [16] = { rows = 16, columns = 16, depth = 8, thread_rows = 2, thread_columns = 2 },
  },
  small = {
    [4] = { rows = 64, columns = 64, depth = 16, thread_rows = 4, thread_columns = 4 },
    [8] = { rows = 64, columns = 64, depth = 16, thread_rows = 4, thread_columns = 4 },
    [16] = { rows = 64, columns = 32, depth = 8, thread_rows = 4, thread_columns = 2 },
  },
  large = {
    [4] = { rows = 128, columns = 128, depth = 8, thread_rows = 8, thread_columns = 8 },
    [8] = { rows = 128, columns = 64, depth = 8, thread_rows = 8, thread_columns = 4 },
    [16] = { rows = 64, columns = 64, depth = 8, thread_rows = 4, thread_columns = 4 },
  },
}

-- The type of the sums for a dtype, and its bytes. Integers wrap around, which in C++ only unsigned
-- types may do.
local function sum_type(row)
  if row.kind == "bool" then return "unsigned int", 4 end
  if row.kind == "int" or row.kind == "uint" then
    if row.size == 8 then return "unsigned long long", 8 end
    return "unsigned int", 4
  end
  if row.kind == "float" and row.size < 4 then return "float", 4 end
  return prelude.cname(row.name), row.size
end

local ADD = {
  bool = "sum |= x & y;",
  int = "sum += x * y;",
  complex = "sum.real(sum.real() + x.real() * y.real());"
    .. " sum.real(sum.real() - x.imag() * y.imag());"
    .. " sum.imag(sum.imag() + x.real() * y.imag()); sum.imag(sum.imag() + x.imag() * y.real());",
}
ADD.uint, ADD.float = ADD.int, ADD.int

-- The struct is lcu_gemm of shared/base/lcu_gemm.h.
local TEXT = [[
typedef $T T;
typedef $S S;
typedef $O O;
enum { ROWS = $ROWS, COLUMNS = $COLUMNS, DEPTH = $DEPTH, TR = $TR, TC = $TC };
enum { ACROSS = COLUMNS / TC, THREADS = ACROSS * (ROWS / TR) };
// neighbors read with one access
enum { WIDE = 16 / sizeof(S), VR = TR < WIDE ? TR : WIDE, VC = TC < WIDE ? TC : WIDE };
enum { LOADS_A = ROWS * DEPTH / THREADS, LOADS_B = COLUMNS * DEPTH / THREADS };

struct Matrices {
  long long m, n, k, a_row, a_col, b_row, b_col, c_row, c_col, axes;
  struct { long long extent, a, b, c; } batch[14];
};

__device__ __forceinline__ void add(S &sum, S x, S y) { $ADD }

// Row (or column) number i of thread t's, of `threads` along that side: runs of V neighbors.
template <int V> __device__ __forceinline__ int place(int i, int t, int threads) {
  return (i / V * threads + t) * V + i % V;
}

// Which elements of a tile of SIDE x DEPTH a thread loads: one every `side` along the side and
// `deep` along the depth, so that neighboring threads read neighboring memory.
struct Walk { int at_side, at_deep, side, deep; };
template <int SIDE> __device__ __forceinline__ Walk walk(int t, bool deep_first) {
  if (deep_first) return { t / DEPTH, t % DEPTH, THREADS / DEPTH, 0 };
  return { t % SIDE, t / SIDE, 0, THREADS / SIDE };
}

template <int SIDE, int LOADS>
__device__ __forceinline__ void load(S (&held)[LOADS], const T *p, Walk w, long long step,
    int sides, int deeps) {
  #pragma unroll
  for (int i = 0; i < LOADS; i++) {
    const bool inside = w.at_side + i * w.side < sides && w.at_deep + i * w.deep < deeps;
    held[i] = inside ? S(p[i * step]) : S(0);
  }
}

template <int SIDE, int LOADS>
__device__ __forceinline__ void keep(S (&tile)[DEPTH][SIDE + WIDE], const S (&held)[LOADS],
    Walk w) {
  #pragma unroll
  for (int i = 0; i < LOADS; i++) tile[w.at_deep + i * w.deep][w.at_side + i * w.side] = held[i];
}

__device__ __forceinline__ long long size(long long n) { return n < 0 ? -n : n; }
__device__ __forceinline__ int least(long long n, int most) { return n < most ? (int)n : most; }

// Each part of `depth` terms has a product of its own, `part_step` elements behind the one before.
__global__ void __launch_bounds__(THREADS, 2) luacuda_matmul(const T *a, const T *b, O *c,
    const Matrices g, long long depth, long long part_step) {
  __shared__ __align__(16) S tile_a[DEPTH][ROWS + WIDE];
  __shared__ __align__(16) S tile_b[DEPTH][COLUMNS + WIDE];
  const int t = threadIdx.x, tx = t % ACROSS, ty = t / ACROSS;
  const unsigned down = (unsigned)((g.m + ROWS - 1) / ROWS),
      across = (unsigned)((g.n + COLUMNS - 1) / COLUMNS);
  const unsigned rest = blockIdx.x / down;
  const long long row = (long long)(blockIdx.x % down) * ROWS, column = (long long)(rest % across)
      * COLUMNS;
  unsigned product = rest / across;
  for (int i = (int)g.axes - 1; i >= 0; i--) {
    const unsigned extent = (unsigned)g.batch[i].extent, at = product % extent;
    product /= extent;
    a += at * g.batch[i].a;
    b += at * g.batch[i].b;
    c += at * g.batch[i].c;
  }
  const long long first = product * depth, k = g.k - first < depth ? g.k - first : depth;
  a += first * g.a_col;
  b += first * g.b_row;
  c += product * part_step;

  const Walk wa = walk<ROWS>(t, size(g.a_col) <= size(g.a_row)),
      wb = walk<COLUMNS>(t, size(g.b_row) < size(g.b_col));
  a += (row + wa.at_side) * g.a_row + wa.at_deep * g.a_col;
  b += (column + wb.at_side) * g.b_col + wb.at_deep * g.b_row;
  const long long step_a = wa.side * g.a_row + wa.deep * g.a_col, step_b = wb.side * g.b_col
      + wb.deep * g.b_row;
  const int rows = least(g.m - row, ROWS), columns = least(g.n - column, COLUMNS);
  S held_a[LOADS_A], held_b[LOADS_B], sum[TR][TC];
  #pragma unroll
  for (int i = 0; i < TR; i++)
    #pragma unroll
    for (int j = 0; j < TC; j++) sum[i][j] = S(0);

  load<ROWS>(held_a, a, wa, step_a, rows, least(k, DEPTH));
  load<COLUMNS>(held_b, b, wb, step_b, columns, least(k, DEPTH));
  #pragma unroll 1
  for (long long done = 0; done < k; done += DEPTH) {
    keep<ROWS>(tile_a, held_a, wa);
    keep<COLUMNS>(tile_b, held_b, wb);
    __syncthreads();
    // load the elements of the next step while this step computes
    if (done + DEPTH < k) {
      const int deep = least(k - done - DEPTH, DEPTH);
      a += DEPTH * g.a_col;
      b += DEPTH * g.b_row;
      load<ROWS>(held_a, a, wa, step_a, rows, deep);
      load<COLUMNS>(held_b, b, wb, step_b, columns, deep);
    }
    #pragma unroll
    for (int p = 0; p < DEPTH; p++) {
      S x[TR], y[TC];
      #pragma unroll
      for (int i = 0; i < TR; i++) x[i] = tile_a[p][place<VR>(i, ty, ROWS / TR)];
      #pragma unroll
      for (int j = 0; j < TC; j++) y[j] = tile_b[p][place<VC>(j, tx, ACROSS)];
      #pragma unroll
      for (int i = 0; i < TR; i++)
        #pragma unroll
        for (int j = 0; j < TC; j++) add(sum[i][j], x[i], y[j]);
    }
    __syncthreads();
  }

  c += row * g.c_row + column * g.c_col;
  #pragma unroll
  for (int i = 0; i < TR; i++) {
    const int r = place<VR>(i, ty, ROWS / TR);
    #pragma unroll
    for (int j = 0; j < TC; j++) {
      const int q = place<VC>(j, tx, ACROSS);
      if (r < rows && q < columns) c[r * g.c_row + q * g.c_col] = O(sum[i][j]);
    }
  }
}
]]

-- shape(dtype, which) -> a row of TILES
local function shape_of(dtype, which)
  local _, size = sum_type(dtypes.of(dtype))
  return TILES[which][size]
end

-- tile(dtype, which) -> rows and columns of the product that a block computes, threads per block;
-- which: "flat", "thin", "tiny", "small", "large"
local function tile(dtype, which)
  local shape = shape_of(dtype, which)
  return shape.rows, shape.columns,
    shape.rows // shape.thread_rows * (shape.columns // shape.thread_columns)
end

-- text(dtype, shape, result) -> the kernel with tiles of a shape like those of TILES. `result`: the
-- dtype of the products, which is that of the sums for parts that are added up.
local function text(dtype, shape, result)
  local row = dtypes.of(dtype)
  local sum = sum_type(row)
  return prelude.text { dtype } .. TEXT:gsub("%$(%u+)", {
    T = prelude.cname(dtype), S = sum, O = prelude.cname(result), ADD = ADD[row.kind],
    ROWS = shape.rows, COLUMNS = shape.columns, DEPTH = shape.depth,
    TR = shape.thread_rows, TC = shape.thread_columns,
  })
end

local function source(dtype, which, result) return text(dtype, shape_of(dtype, which), result) end

return { source = source, text = text, shape = shape_of, tile = tile, NAME = "luacuda_matmul" }
