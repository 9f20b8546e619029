-- scan_flat.lua: the kernel for sequences that follow each other in memory order, or along any one
-- stride: all of them are one long sequence with marks at the starts of rows and segments. A warp
-- takes S steps of 32 units of V adjacent elements, one unit per lane.

local parts = require "luacuda.builder.scan_parts"

-- bytes of values between a tile and that which it asks to be fetched from memory
local AHEAD = 5 << 19

local KERNEL = [[
template <class T> _LCU_INLINE void _lcu_prefetch(const T *p, const int count) {
  const char *const bytes = (const char *)p;
  for (int k = threadIdx.x * 128; k < count * (int)sizeof(T); k += $THREADS * 128)
    asm volatile("prefetch.global.L2 [%0];" :: "l"(bytes + k));
}

__global__ void __launch_bounds__($THREADS) $KERNEL($PARAMS _lcu_word *words,
    const _lcu_plan plan) {
  enum { V = $VECTOR, S = $STEPS, WARPS = $THREADS / 32, TILE = $THREADS * V * S, HEADS = $HEADS,
      ROWS = $ROWS };
  __shared__ unsigned totals[WARPS][_LCU_WORDS], before_tile[_LCU_WORDS];
  __shared__ int cuts[WARPS];
  __shared__ long long place[3];               // tile, row and column of its first element
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned lower = (1u << lane) - 1u;    // lanes before this one
  const long long n = plan.v[0], len = plan.v[1];

  if (threadIdx.x == 0) {
    const long long t = words ? (long long)atomicAdd(words, 1ull) : (long long)blockIdx.x;
    place[0] = t;
    place[1] = ROWS ? t * TILE / len : 0;
    place[2] = t * TILE - place[1] * len;
  }
  __syncthreads();
  const long long tile = place[0], first = tile * TILE;
  const int offset = warp * (32 * V * S) + lane * V;     // of this thread in the tile
  const bool full = first + TILE <= n;
  const long long later = first + $AHEAD / (TILE * (long long)sizeof(_lcu_acc)) * TILE;
  if (later > first && later + TILE <= n) {
    $PREFETCH
  }

  // Row and column of the element at an offset from the tile's first.
  auto locate = [&](int at, long long &row, long long &col) {
    row = place[1], col = place[2] + at;
    if (!ROWS) return;
    if (len > TILE) {
      if (col >= len) col -= len, row++;
    } else {
      const unsigned q = (unsigned)col / (unsigned)len;
      row += q, col -= (long long)q * len;
    }
  };
  auto advance = [&](long long &row, long long &col) {
    if (++col == len && ROWS) col = 0, row++;
  };

  // Elements of this thread, and marks: bit v of heads[s] where a row or segment starts.
  _lcu_acc x[S][V];
  unsigned heads[S];
  {
    $UNITS
    #pragma unroll
    for (int s = 0; s < S; s++) {
      const int at = offset + s * (32 * V);
      long long i = first + at, row, col;
      heads[s] = 0;
      if (full) {
        $LOAD_FLAT
        locate(at, row, col);
        #pragma unroll
        for (int v = 0; v < V; v++) {
          $LOAD_STRIDED
          if (ROWS && col == 0) heads[s] |= 1u << v;
          advance(row, col);
        }
      // the last tile: elements past the end repeat the last one
      } else {
        #pragma unroll
        for (int v = 0; v < V; v++) {
          i = min(first + at + v, n - 1);
          locate((int)(i - first), row, col);
          $LOAD_ONE
          $LOAD_STRIDED
          if (ROWS && col == 0) heads[s] |= 1u << v;
        }
      }
    }
    #pragma unroll
    for (int s = 0; s < S; s++) {
      #pragma unroll
      for (int v = 0; v < V; v++) {
        const long long i = full ? first + offset + s * (32 * V) + v
            : min(first + offset + s * (32 * V) + v, n - 1);
        $MARK
        x[s][v] = _lcu_map(i, n$MAP_ARGUMENTS);
      }
    }
  }

  // Scans of the units, of the steps over the lanes of the warp, and over the warps of the tile.
  // what precedes a unit in its warp since the latest mark; the warp up to here
  _lcu_acc above[S], run = x[0][0];
  unsigned cut[S];                             // lanes with marks
  bool any = false;
  #pragma unroll
  for (int s = 0; s < S; s++) {
    #pragma unroll
    for (int v = 1; v < V; v++) {
      if (!HEADS || !(heads[s] >> v & 1)) x[s][v] = _lcu_join(x[s][v - 1], x[s][v]);
    }
    cut[s] = HEADS ? __ballot_sync(~0u, heads[s] != 0) : 0;
    const unsigned here = cut[s] & (lower | 1u << lane);
    const int start = here ? 31 - __clz(here) : 0;
    _lcu_acc sum = x[s][V - 1];
    #pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const _lcu_acc up = _lcu_shfl_up(sum, d);
      if (lane - d >= start) sum = _lcu_join(up, sum);
    }
    above[s] = _lcu_shfl_up(sum, 1);
    if (s > 0 && lane == 0) above[s] = run;
    else if (s > 0 && !(cut[s] & lower)) above[s] = _lcu_join(run, above[s]);
    sum = _lcu_shfl(sum, 31);
    run = s > 0 && !cut[s] ? _lcu_join(run, sum) : sum;
    any = any || cut[s] != 0;
  }
  if (lane == 0) {
    _lcu_split(totals[warp], run);
    cuts[warp] = any;
  }
  __syncthreads();

  _lcu_acc carry = x[0][0];                    // what precedes the warp
  // is there anything, does it reach back to the tile's start
  bool carried = false, open = true;
  for (int k = 0; k < (warp ? warp : WARPS); k++) {      // warp 0: the whole tile
    const _lcu_acc t = _lcu_whole(totals[k]);
    carry = carried && !cuts[k] ? _lcu_join(carry, t) : t;
    carried = true;
    open = open && !cuts[k];
  }
  if (warp == 0) {
    if (lane == 0) _lcu_split(before_tile, carry);         // never used, but read ahead
    if (words) {
      const bool starts = tile == 0 || (HEADS && __shfl_sync(~0u, heads[0] & 1, 0));
      const bool cut = tile == 0 || !open;
      _lcu_word *const tiles = words + _LCU_HEADER;
      if (lane == 0)
        _lcu_publish(tiles + tile * _LCU_WORDS, cut ? _LCU_PREFIX : _LCU_AGGREGATE, carry);
      const _lcu_acc before = _lcu_look_back(tiles, tiles + (long long)gridDim.x * _LCU_WORDS,
          _LCU_WORDS, tile, lane, starts, cut, carry);
      if (lane == 0) _lcu_split(before_tile, before);
    }
    carried = false, open = true;
  }
  __syncthreads();
  // with a mark at the tile's first element this is not used
  if (words && tile > 0 && open) {
    const _lcu_acc before = _lcu_whole(before_tile);
    carry = carried ? _lcu_join(before, carry) : before;
    carried = true;
  }

  bool reach = carried;                        // does what precedes the warp reach here?
  #pragma unroll
  for (int s = 0; s < S; s++) {
    const int at = offset + s * (32 * V);
    const bool first_unit = s == 0 && lane == 0, preceded = carried || !first_unit;
    const _lcu_acc before = first_unit ? carry : reach && !(cut[s] & lower)
        ? _lcu_join(carry, above[s]) : above[s];
    reach = reach && !cut[s];
    $OUT_UNITS
    long long row, col;
    locate(at, row, col);
    #pragma unroll
    for (int v = 0; v < V; v++) {
      const long long i = first + at + v;
      const bool joined = preceded && !(HEADS && heads[s] & ((2u << v) - 1u));
      $RESULT
      if (full || i < n) {
        $POST
        $STORE_STRIDED
        if (!full) {
          $STORE_ONE
        }
      }
      advance(row, col);
    }
    if (full) {
      $STORE_FLAT
    }
  }
}
]]

local each, is_read = parts.each, parts.is_read

-- V elements as the kernel holds them: aligned for a single access where they are adjacent.
local function unit(p, element)
  return ("%s<%s, V>"):format(p.class == "flat" and "_lcu_pack" or "_lcu_row", element or p.ctype)
end

local function strided(p)
  return ("p%d + row * plan.v[%d] + col * plan.v[%d]"):format(p.index, p.slot, p.slot + 1)
end

local function of_class(class, output)
  return function(p) return p.class == class and (p.output or false) == output end
end

local function loads(spec, values)
  values.UNITS = each(spec.params, is_read,
    function(p) return ("%s u%d[S];"):format(unit(p), p.index) end)
  values.PREFETCH = each(spec.params, of_class("flat", false), function(p)
    return ("_lcu_prefetch((const %s *)p%d + later, TILE);"):format(p.ctype, p.index)
  end)
  values.LOAD_FLAT = each(spec.params, of_class("flat", false), function(p)
    return ("u%d[s] = *(const %s *)((const %s *)p%d + i);"):format(p.index,
      unit(p, parts.stored(p)), p.ctype, p.index)
  end)
  values.LOAD_ONE = each(spec.params, of_class("flat", false), function(p)
    return ("u%d[s].v[v] = ((const %s *)p%d)[i];"):format(p.index, parts.stored(p), p.index)
  end)
  values.LOAD_STRIDED = each(spec.params, of_class("strided", false), function(p)
    return ("u%d[s].v[v] = *(const %s *)((const char *)%s);"):format(p.index, parts.stored(p),
      strided(p))
  end)
  values.MARK = each(spec.params, parts.is_segments, function(p)
    return ("if (u%d[s].v[v]) heads[s] |= 1u << v;"):format(p.index)
  end)
end

local function stores(spec, values)
  values.OUT_UNITS = each(spec.params, function(p) return p.lay and p.output end, function(p)
    return ("%s y%d;"):format(unit(p), p.index)
  end)
  values.STORE_STRIDED = each(spec.params, of_class("strided", true), function(p)
    return ("*(%s *)((char *)%s) = y%d.v[v];"):format(p.ctype, strided(p), p.index)
  end)
  values.STORE_ONE = each(spec.params, of_class("flat", true), function(p)
    return ("((%s *)p%d)[i] = y%d.v[v];"):format(p.ctype, p.index, p.index)
  end)
  values.STORE_FLAT = each(spec.params, of_class("flat", true), function(p)
    return ("*(%s *)((%s *)p%d + first + at) = y%d;"):format(unit(p), p.ctype, p.index, p.index)
  end)
end

-- source(spec) -> CUDA text; scan_source.lua describes `spec`. Numbers of the plan: elements,
-- elements per row; at the slot of a strided array its strides in bytes from row to row and from
-- element to element.
local function source(spec)
  local values = parts.values(spec)
  values.VECTOR, values.STEPS, values.ROWS = spec.vector, spec.steps, spec.rows and 1 or 0
  values.AHEAD = AHEAD
  loads(spec, values)
  stores(spec, values)
  values.MAP_ARGUMENTS = parts.map_arguments(spec, "[s].v[v]")
  values.RESULT = parts.result(spec, "x[s][v]", "x[s][v > 0 ? v - 1 : 0]", "(heads[s] >> v & 1)",
    "v")
  values.POST = parts.post_call(spec, ".v[v]")
  return parts.head(spec) .. parts.fill(KERNEL, values)
end

return { source = source }
