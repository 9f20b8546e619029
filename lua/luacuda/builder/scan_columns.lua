-- scan_columns.lua: the kernel for sequences that are side by side in memory. A thread takes R
-- elements of one column; TY threads, one above the other, make a tile.

local parts = require "luacuda.builder.scan_parts"

local KERNEL = [[
__global__ void __launch_bounds__($THREADS) $KERNEL($PARAMS _lcu_word *words,
    const _lcu_plan plan) {
  enum { TX = $WIDTH, TY = $THREADS / TX, R = $ROWS_EACH, WARPS = $THREADS / 32, HEADS = $HEADS };
  __shared__ unsigned sums[TY][TX][_LCU_WORDS], before_tile[TX][_LCU_WORDS];
  __shared__ bool cuts[TY][TX];
#if !$ALONE
  __shared__ unsigned tile_sum[TX][_LCU_WORDS];
  __shared__ bool tile_cut[TX];
#endif
  __shared__ long long place;
  const int tx = threadIdx.x % TX, ty = threadIdx.x / TX;
  const long long n = plan.v[0], len = plan.v[1], inner = plan.v[2], strips = plan.v[3],
      across = plan.v[4];

  if (threadIdx.x == 0) place = words ? (long long)atomicAdd(words, 1ull) : (long long)blockIdx.x;
  __syncthreads();
  // The tiles of the first rows come first, so that the tile above one is done when it starts. A
  // strip is TX columns wide.
  const long long tile = place / across, group = place - tile * across, outer = group / strips;
  const long long column = (group - outer * strips) * TX + tx, col = min(column, inner - 1);
  const long long first = tile * (TY * R) + ty * R;
  // tile 0 of this column
  _lcu_word *const top = words + _LCU_HEADER + (group * TX + tx) * _LCU_WORDS;
  const long long step = across * TX * _LCU_WORDS;

  $BASES
  _lcu_acc x[R];
  unsigned heads = 0;                          // bit r: element r begins a segment
  {
    $UNITS
    #pragma unroll
    for (int r = 0; r < R; r++) {
      // elements past the end repeat the last one
      const long long row = min(first + r, len - 1);
      $LOAD
    }
    #pragma unroll
    for (int r = 0; r < R; r++) {
      const long long i = (outer * len + min(first + r, len - 1)) * inner + col;
      $MARK
      x[r] = _lcu_map(i, n$ARGUMENTS);
    }
  }
  #pragma unroll
  for (int r = 1; r < R; r++) {
    if (!HEADS || !(heads >> r & 1)) x[r] = _lcu_join(x[r - 1], x[r]);
  }
  _lcu_split(sums[ty][tx], x[R - 1]);
  cuts[ty][tx] = heads != 0;
  __syncthreads();

  // what precedes each thread in the tile, and the tile's sum
  if (ty == 0) {
    _lcu_acc sum = x[R - 1];
    bool cut = heads != 0;
    for (int y = 1; y < TY; y++) {
      const _lcu_acc t = _lcu_whole(sums[y][tx]);
      const bool c = cuts[y][tx];
      _lcu_split(sums[y][tx], sum);
      cuts[y][tx] = cut;
      sum = c ? t : _lcu_join(sum, t);
      cut = cut || c;
    }
    if (words) {
      _lcu_word *const own = top + tile * step;
      _lcu_publish(own, tile == 0 || cut ? _LCU_PREFIX : _LCU_AGGREGATE, sum);
#if $ALONE
      if (tile > 0) {
        const _lcu_acc before = _lcu_look_back_alone(top, step, tile);
        if (!cut) _lcu_publish(own, _LCU_PREFIX, _lcu_join(before, sum));
        _lcu_split(before_tile[tx], before);
      }
#else
      _lcu_split(tile_sum[tx], sum);
      tile_cut[tx] = cut || tile == 0;
#endif
    }
  }
  __syncthreads();
#if !$ALONE
  if (words) {                                 // few columns: a warp for each
    const int lane = threadIdx.x & 31;
    for (int c = threadIdx.x >> 5; c < TX; c += WARPS) {
      _lcu_word *const its = words + _LCU_HEADER + (group * TX + c) * _LCU_WORDS;
      const _lcu_acc before = _lcu_look_back(its, its + (long long)gridDim.x * (TX * _LCU_WORDS),
          step, tile, lane, tile == 0, tile_cut[c], _lcu_whole(tile_sum[c]));
      if (lane == 0) _lcu_split(before_tile[c], before);
    }
    __syncthreads();
  }
#endif

  bool preceded = ty > 0;
  _lcu_acc before = preceded ? _lcu_whole(sums[ty][tx]) : x[0];
  if (words && tile > 0 && !(preceded && cuts[ty][tx])) {
    const _lcu_acc far = _lcu_whole(before_tile[tx]);
    before = preceded ? _lcu_join(far, before) : far;
    preceded = true;
  }
  #pragma unroll
  for (int r = 0; r < R; r++) {
    const long long row = first + r;
    const bool joined = preceded && !(HEADS && heads & ((2u << r) - 1u));
    if (row < len && column < inner) {
      const long long i = (outer * len + row) * inner + col;
      $RESULT
      $POST
      $STORE
    }
  }
}
]]

local each, is_read = parts.each, parts.is_read

local function bases(spec)
  return each(spec.params, parts.is_array, function(p)
    local char = p.output and "char" or "const char"
    return ("%s *const b%d = (%s *)p%d + outer * plan.v[%d] + col * plan.v[%d]; "
      .. "const long long s%d = plan.v[%d];"):format(
      char, p.index, char, p.index, p.slot, p.slot + 2, p.index, p.slot + 1)
  end, "\n  ")
end

-- source(spec) -> CUDA text; scan_source.lua describes `spec`. Numbers of the plan: elements,
-- elements per column, columns side by side, strips of TX columns in those, strips in all; at the
-- slot of an array its strides in bytes from one group of columns to the next, from element to
-- element and from column to column.
local function source(spec)
  local values = parts.values(spec)
  values.WIDTH, values.ROWS_EACH, values.ALONE, values.BASES = spec.width, spec.rows_each,
    spec.alone and 1 or 0, bases(spec)
  values.UNITS = each(spec.params, is_read,
    function(p) return ("%s u%d[R];"):format(p.ctype, p.index) end)
  values.LOAD = each(spec.params, is_read, function(p)
    return ("u%d[r] = *(const %s *)(b%d + row * s%d);"):format(p.index, parts.stored(p), p.index,
      p.index)
  end)
  values.MARK = each(spec.params, parts.is_segments,
    function(p) return ("if (u%d[r]) heads |= 1u << r;"):format(p.index) end)
  values.ARGUMENTS = parts.map_arguments(spec, "[r]")
  values.RESULT = parts.result(spec, "x[r]", "x[r > 0 ? r - 1 : 0]", "(heads >> r & 1)", "r")
  local function written(p) return p.lay and p.output end
  values.POST = each(spec.params, written,
    function(p) return ("%s y%d;"):format(p.ctype, p.index) end) .. " " .. parts.post_call(spec, "")
  values.STORE = each(spec.params, written, function(p)
    return ("*(%s *)(b%d + row * s%d) = y%d;"):format(p.ctype, p.index, p.index, p.index)
  end)
  return parts.head(spec) .. parts.fill(KERNEL, values)
end

return { source = source }
