-- reduction_source.lua: CUDA text of one variant of a reduction kernel, for the types, the layout
-- and the pass that the C engine (lcul_reduction.c, lcu_reduce.h) describes.
--
-- Mode "rows": blockDim.x threads share a result and advance along the reduced axes; they join by
-- shuffles, warps join through shared memory. Threads of short rows have several of them at a time.
-- Mode "columns": a thread advances along the reduced axes for a vector of results; blockDim.y
-- threads share it and join through shared memory. blockIdx.y is the segment of the reduced axes.
-- With several segments, pass "partial" writes one state per segment and result, and pass "final"
-- joins them in order.

local loads = require "luacuda.builder.reduction_loads"
local parts = require "luacuda.builder.reduction_parts"
local seek = require "luacuda.builder.reduction_seek"
local serial = require "luacuda.builder.reduction_serial"
local store = require "luacuda.builder.reduction_store"

local BLOCK = parts.BLOCK
local kept_coordinates, bases, walk = loads.kept_coordinates, loads.bases, loads.walk

local COLUMN_BYTES = 16 * 1024          -- shared memory in which columns are joined

-- The kernels -------------------------------------------------------------------------------------

-- Warps of a row join in the order of their threads.
local ROWS_JOIN = [[
  for (int _d = min((int)blockDim.x, 32) / 2; _d > 0; _d /= 2)
    _lcu_join(_s, _lcu_shuffle_xor(_s, _d));
  if (blockDim.x > 32) {
    __shared__ alignas(16) unsigned char _room[BLOCK / 32 * sizeof(_lcu_state)];
    _lcu_state *const _warps = (_lcu_state *)_room + threadIdx.y * (blockDim.x / 32);
    if (threadIdx.x % 32 == 0) _warps[threadIdx.x / 32] = _s;
    __syncthreads();
    if (threadIdx.x == 0)
      for (int _w = 1; _w < (int)blockDim.x / 32; _w++) _lcu_join(_s, _warps[_w]);
  }
]]

local function rows(desc, list)
  return table.concat {
    [[
  const _lcu_uint _r = (_lcu_uint)blockIdx.x * blockDim.y + threadIdx.y, _step = blockDim.x;
  const bool _live = _r < (_lcu_uint)_plan.v[0];
  const _lcu_uint _o = _live ? _r : 0, _begin = (_lcu_uint)blockIdx.y * (_lcu_uint)_plan.v[3];
  _lcu_uint _at = _begin + threadIdx.x;
  _lcu_state _s = _lcu_start();
]], "  ", kept_coordinates(desc), "\n", bases(desc, list),
    ("  const _lcu_uint _units = %s;\n"):format(loads.units(desc)),
    "  const _lcu_uint _end = _live ? min(_begin + (_lcu_uint)_plan.v[3], _units) : 0;\n",
    walk(desc, list), loads.tail(desc, list),
    (ROWS_JOIN:gsub("BLOCK", tostring(BLOCK))), "  if (_live && threadIdx.x == 0) {\n",
    store.row(desc, list), "  }\n",
  }
end

-- While threads have several rows, each gives half of them to another for half of its rows; then
-- they join as above.
local SHORT_JOIN = [[
  int _d = blockDim.x / 2, _first = 0, _left = ROWS;
  #pragma unroll
  for (int _half = ROWS / 2; _half > 0; _half /= 2) {
    if (_d == 0) break;
    const bool _upper = threadIdx.x & _d;
    #pragma unroll
    for (int _q = 0; _q < _half; _q++) {
      _lcu_state _low = _s[_q], _high = _s[_q + _half];
      if (_upper) _high = _s[_q];
      _high = _lcu_shuffle_xor(_high, _d);
      if (_upper) {
        _low = _high;
        _high = _s[_q + _half];
      }
      _lcu_join(_low, _high);
      _s[_q] = _low;
    }
    if (_upper) _first += _half;
    _left = _half;
    _d /= 2;
  }
  const int _rest = 2 * _d;
  for (; _d > 0; _d /= 2) _lcu_join(_s[0], _lcu_shuffle_xor(_s[0], _d));
  if (_rest > 0 && threadIdx.x % _rest != 0) return;
  #pragma unroll
  for (int _q = 0; _q < ROWS; _q++) {
    const _lcu_uint _o = _r + (_first + _q) * blockDim.y;
    if (_q >= _left || _o >= (_lcu_uint)_plan.v[0]) break;
]]

-- Rows of so few units that a thread loads its units of several rows at once. Rows past the last
-- have nothing to load.
local function short_rows(desc, list)
  return table.concat {
    ([[
  const _lcu_uint _r = (_lcu_uint)blockIdx.x * blockDim.y * ROWS + threadIdx.y;
  const _lcu_uint _step = blockDim.x, _at = threadIdx.x, _end = (_lcu_uint)_plan.v[2];
  _lcu_state _s[ROWS];
  #pragma unroll
  for (int _q = 0; _q < ROWS; _q++) _s[_q] = _lcu_start();
]]):gsub("ROWS", desc.rows), "  ", loads.add_units(desc, list, loads.in_flight(desc), true), "\n",
    (SHORT_JOIN:gsub("ROWS", desc.rows)), "    ", kept_coordinates(desc), "\n",
    store.row(desc, list, "_s[_q]"), "  }\n",
  }
end

-- Joins as many lanes at a time as fit; halves of the threads join in the order of their rows.
local COLUMNS_JOIN = [[
#line 1 "reduction"
  static_assert(BLOCK * sizeof(_lcu_state) <= 48 * 1024,
    "values of more than 190 bytes cannot be combined along this axis");
#line 1 "luacuda"
  if (blockDim.y > 1) {
    constexpr int _fit = BYTES / (BLOCK * (int)sizeof(_lcu_state));
    constexpr int _some = _fit < 1 ? 1 : _fit < VECTOR ? _fit : VECTOR;
    __shared__ alignas(16) unsigned char _room[_some * BLOCK * sizeof(_lcu_state)];
    _lcu_state *const _column = (_lcu_state *)_room + threadIdx.y * blockDim.x + threadIdx.x;
    #pragma unroll
    for (int _f = 0; _f < VECTOR; _f += _some) {
      if (_f > 0) __syncthreads();
      #pragma unroll
      for (int _l = 0; _l < _some; _l++) if (_f + _l < VECTOR) _column[_l * BLOCK] = _s[_f + _l];
      for (int _d = blockDim.y / 2; _d > 0; _d /= 2) {
        __syncthreads();
        if (threadIdx.y >= _d) continue;
        #pragma unroll
        for (int _l = 0; _l < _some; _l++) {
          if (_f + _l >= VECTOR) break;
          _lcu_join(_s[_f + _l], _column[_l * BLOCK + _d * blockDim.x]);
          _column[_l * BLOCK] = _s[_f + _l];
        }
      }
    }
  }
]]

local function columns(desc, list)
  local values = { BLOCK = tostring(BLOCK), BYTES = tostring(COLUMN_BYTES),
    VECTOR = tostring(desc.vector) }
  return table.concat {
    ([[
  const _lcu_uint _r = (_lcu_uint)blockIdx.x * blockDim.x + threadIdx.x, _step = blockDim.y;
  const bool _live = _r < (_lcu_uint)_plan.v[2];
  const _lcu_uint _o = _live ? _r : 0, _begin = (_lcu_uint)blockIdx.y * (_lcu_uint)_plan.v[3];
  const _lcu_uint _end = _live ? min(_begin + (_lcu_uint)_plan.v[3], (_lcu_uint)_plan.v[4]) : 0;
  _lcu_uint _at = _begin + threadIdx.y;
  _lcu_state _s[%d];
  #pragma unroll
  for (int _l = 0; _l < %d; _l++) _s[_l] = _lcu_start();
]]):format(desc.vector, desc.vector),
    "  ", kept_coordinates(desc), "\n", bases(desc, list), walk(desc, list),
    (COLUMNS_JOIN:gsub("%u%u+", values)),
    "  if (_live && threadIdx.y == 0) {\n", store.column(desc, list), "  }\n",
  }
end

-- source.text(state, desc) -> CUDA text; the bytes of a partial result, or nil where only the
-- compiler knows them (then the text declares _lcu_state_room of that size). `state`: name, kernel
-- (its name in the text, unless it is name), params, nin, map, reduce, post, identity, neutral,
-- preamble (origins), macros, reduce_type, bytes (of such a type), indices = { i =, _j = },
-- mentioned (the names that the user's text uses).
local function text(state, desc)
  local list, count = parts.operands(state, desc)
  desc.seek = seek.wanted(state, desc)
  local make = desc.lanes > 0 and serial.text or desc.mode == "columns" and columns
    or desc.rows > 1 and short_rows or rows
  return table.concat {
    parts.head(state, desc, list, count), parts.kernel_head(state, list),
    ("  typedef unsigned %s _lcu_uint;\n"):format(desc.wide and "long long" or "int"),
    make(desc, list), "}\n",
  }, parts.state_bytes(state, desc)
end

return { text = text }
