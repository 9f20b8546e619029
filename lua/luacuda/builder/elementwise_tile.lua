-- elementwise_tile.lua: kernels of mode "tile". A block handles a tile of two axes: p, along which
-- the output is adjacent, and q, along which some inputs are. Those inputs go through shared
-- memory, so that all accesses are coalesced. Threads form rows: _tx is the position in a row, _ty
-- the number of the row.

local body = require "luacuda.builder.elementwise_body"
local parts = require "luacuda.builder.elementwise_parts"

local tuning, map, arrays_of, outputs_of = parts.tuning, parts.map, parts.arrays_of,
  parts.outputs_of

-- Rows of threads in a block.
local function thread_rows() return tuning.block // tuning.tile_width end

local function is_tile_input(p) return p.kind == "array" and not p.output and p.class == "tile" end

local function edge_of(list)
  local largest = 1
  for _, p in ipairs(list) do
    if is_tile_input(p) then largest = math.max(largest, p.size) end
  end
  return largest <= tuning.small and tuning.small_tile_edge or tuning.tile_edge
end

-- Marks and returns the inputs that go through shared memory, as far as there is room; others are
-- read directly.
local function staged_inputs(list, edge)
  local bytes = 0
  return map(list, function(p)
    if not is_tile_input(p) or not p.plain
      or bytes + edge * (edge + 1) * p.size > tuning.tile_bytes then
      return nil
    end
    bytes = bytes + edge * (edge + 1) * p.size
    p.staged = true
    return p
  end)
end

-- Where the strides of array j start in the plan: along p, along q, then the others from the
-- outermost.
local function strides_at(desc, j) return 5 + (desc.ndim - 2) + j * desc.ndim end

-- The tile of this block: its first coordinates _p and _q, its extents inside the arrays (_np,
-- _nq), and where each array starts (_a).
local function place(list, desc, edge, add)
  local rest = "_b2"
  add("const unsigned _b1 = blockIdx.x / (unsigned)_plan.v[3], _b2 = _b1 / (unsigned)_plan.v[4];")
  add("const long long _p = (long long)(blockIdx.x - _b1 * (unsigned)_plan.v[3]) * %d;", edge)
  add("const long long _q = (long long)(_b1 - _b2 * (unsigned)_plan.v[4]) * %d;", edge)
  add("const int _np = min(%dLL, _plan.v[1] - _p), _nq = min(%dLL, _plan.v[2] - _q);", edge, edge)
  for d = desc.ndim - 3, 1, -1 do
    local extent = ("(unsigned)_plan.v[%d]"):format(5 + d)
    add("const unsigned _d%d = %s / %s, _c%d = %s - _d%d * %s;", d, rest, extent, d, rest, d,
      extent)
    rest = "_d" .. d
  end
  if desc.ndim > 2 then add("const unsigned _c0 = %s;", rest) end
  for _, p in ipairs(arrays_of(list)) do
    local at = strides_at(desc, p.j)
    local terms = { ("_p * _plan.v[%d] + _q * _plan.v[%d]"):format(at, at + 1) }
    for d = 0, desc.ndim - 3 do terms[#terms + 1] = ("_c%d * _plan.v[%d]"):format(d, at + 2 + d) end
    add("char *const _a%d = (char *)%s + (%s);", p.j, p.var, table.concat(terms, " + "))
  end
end

-- One element -------------------------------------------------------------------------------------

-- An element of an array that is not staged; _x counts along p, where its class may give the
-- stride, _y along q.
local function element(p, desc)
  local at = strides_at(desc, p.j)
  local along = p.class == "unit" and ("_x * %d + "):format(p.size) or p.class == "zero" and ""
    or ("_x * _plan.v[%d] + "):format(at)
  return ("(_a%d + %s_y * _plan.v[%d])"):format(p.j, along, at + 1)
end

-- Loads a staged input into shared memory; _x counts along q, _y along p.
local function stage(p, desc, add)
  add("_s%d[_y][_x] = *(const %s *)(_a%d + _y * _plan.v[%d] + _x * %d);", p.j, p.stored, p.j,
    strides_at(desc, p.j), p.size)
end

-- Calls the body and stores; `registers` is the suffix of the names of loaded values.
local function compute(state, list, desc, registers, add)
  add("%s", body.call(state, desc, list, "0", function(p)
    if p.kind ~= "array" then return p.var end
    return p.staged and ("_s%d[_x][_y]"):format(p.j) or ("_e%d%s"):format(p.j, registers)
  end))
  for _, p in ipairs(outputs_of(list)) do
    add("*(%s *)%s = _e%d%s;", p.type, element(p, desc), p.j, registers)
  end
end

local function direct_arrays(list)
  return map(list, function(p) return p.kind == "array" and not p.staged and p or nil end)
end

-- The loops over a tile ---------------------------------------------------------------------------

-- A whole tile: loops are unrolled, and all loads come before the first store.
local function whole_tile(state, list, staged, desc, edge, add)
  local columns, rows = edge // tuning.tile_width, thread_rows()
  local count = edge // rows * columns
  local function loop(fn)
    add("#pragma unroll")
    add("for (int _k = 0; _k < %d; _k++) {", count)
    add("const int _y = _k / %d * %d + _ty, _x = _k %% %d * %d + _tx;", columns, rows, columns,
      tuning.tile_width)
    fn()
    add("}")
  end
  loop(function()
    for _, p in ipairs(staged) do stage(p, desc, add) end
  end)
  add("__syncthreads();")
  for _, p in ipairs(direct_arrays(list)) do add("%s _e%d[%d];", p.type, p.j, count) end
  loop(function()
    for _, p in ipairs(direct_arrays(list)) do
      add("_e%d[_k] = *(const %s *)%s;", p.j, p.stored, element(p, desc))
    end
  end)
  loop(function() compute(state, list, desc, "[_k]", add) end)
end

-- A tile that extends beyond the arrays: each element is checked.
local function partial_tile(state, list, staged, desc, add)
  local function loop(height, width, fn)
    add("for (int _y = _ty; _y < %s; _y += %d)", height, thread_rows())
    add("for (int _x = _tx; _x < %s; _x += %d) {", width, tuning.tile_width)
    fn()
    add("}")
  end
  loop("_np", "_nq", function()
    for _, p in ipairs(staged) do stage(p, desc, add) end
  end)
  add("__syncthreads();")
  loop("_nq", "_np", function()
    for _, p in ipairs(direct_arrays(list)) do
      add("%s _e%d = *(const %s *)%s;", p.type, p.j, p.stored, element(p, desc))
    end
    compute(state, list, desc, "", add)
  end)
end

-- On the CPU device, whose cache holds what a tile of the inputs needs: a warp goes along one row
-- after the other, without shared memory.
local function cpu_tile(state, list, desc, add)
  local arrays = arrays_of(list)
  add("for (int _y = 0; _y < _nq; _y++) {")
  for _, p in ipairs(arrays) do add("char *_w%d = %s;", p.j, element(p, desc):gsub("_x", "_tx")) end
  local steps = parts.map(arrays, function(p)
    return (", _w%d += %s"):format(p.j, p.class == "unit" and tuning.cpu_block * p.size
      or p.class == "zero" and 0
      or ("%d * _plan.v[%d]"):format(tuning.cpu_block, strides_at(desc, p.j)))
  end)
  add("for (int _x = _tx; _x < _np; _x += %d%s) {", tuning.cpu_block, table.concat(steps))
  for _, p in ipairs(arrays) do
    add("%s _e%d = *(const %s *)_w%d;", p.type, p.j, p.stored, p.j)
  end
  add("%s", body.call(state, desc, list, "0", function(p)
    return p.kind == "array" and "_e" .. p.j or p.var
  end))
  for _, p in ipairs(outputs_of(list)) do add("*(%s *)_w%d = _e%d;", p.type, p.j, p.j) end
  add("}")
  add("}")
end

local function cpu_kernel(state, desc, list)
  local edge = tuning.cpu_tile_edge
  local text = { parts.kernel_head(state, list, tuning.cpu_block), body.open(state, desc, list) }
  local function add(fmt, ...) text[#text + 1] = "  " .. fmt:format(...) .. "\n" end
  place(list, desc, edge, add)
  add("const int _tx = threadIdx.x;")
  cpu_tile(state, list, desc, add)
  return table.concat(text) .. body.close(state), tuning.cpu_block, edge
end

-- tile.kernel(state, desc, list) -> text of the kernel, threads per block, edge of a tile
local function kernel(state, desc, list)
  if desc.kind == "cpu" then return cpu_kernel(state, desc, list) end
  local edge = edge_of(list)
  local staged = staged_inputs(list, edge)
  local text = { parts.kernel_head(state, list, tuning.block), body.open(state, desc, list) }
  local function add(fmt, ...) text[#text + 1] = "  " .. fmt:format(...) .. "\n" end
  place(list, desc, edge, add)
  add("const int _tx = threadIdx.x %% %d, _ty = threadIdx.x / %d;", tuning.tile_width,
    tuning.tile_width)
  for _, p in ipairs(staged) do add("__shared__ %s _s%d[%d][%d];", p.type, p.j, edge, edge + 1) end
  add("if (_np == %d && _nq == %d) {", edge, edge)
  whole_tile(state, list, staged, desc, edge, add)
  add("} else {")
  partial_tile(state, list, staged, desc, add)
  add("}")
  return table.concat(text) .. body.close(state), tuning.block, edge
end

return { kernel = kernel }
