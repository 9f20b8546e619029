-- reduction_text.lua: C++ that reduces tiles along an axis: in registers, then between lanes, then
-- between warps. The order is the same in every run and in every thread.

local exchange = require "luacuda.tiles.exchange_text"
local layout = require "luacuda.tiles.thread_layout"
local registers = require "luacuda.tiles.registers_text"
local dtypes = require "luacuda.base.dtypes"

local M = { forms = {} }

-- Writes `to = _a combined with _b`.
local function combine(em, e, to, a, b)
  em:open "{"
  local ctype = em:type_name(e.tile.type.dtype)
  em:line(("const %s _a = %s, _b = %s;"):format(ctype, a, b))
  em:line(("%s = %s;"):format(to, (em:expression(e.body))))
  em:close "}"
end

-- The registers of the input that make up one of the result.
local function split(from, axis)
  local reduced, count = {}, 1
  for _, f in ipairs(layout.each(from, "reg", axis)) do
    reduced[#reduced + 1] = { weight = f.weight, size = f.size, own = count }
    count = count * f.size
  end
  return reduced, count
end

-- Register k of those that make up register r of the result.
local function source(from, axis, r, k)
  local terms, weight = {}, 1
  for _, f in ipairs(from.factors) do
    if f.owner == "reg" and f.axis ~= axis then
      terms[#terms + 1] = ("%s / %d %% %d * %d"):format(r, weight, f.size, f.weight)
      weight = weight * f.size
    end
  end
  for _, f in ipairs((split(from, axis))) do
    terms[#terms + 1] = ("%s / %d %% %d * %d"):format(k, f.own, f.size, f.weight)
  end
  return #terms > 0 and table.concat(terms, " + ") or "0"
end

-- What a thread computes side by side, since each step waits for the one before. Beside products
-- other warps fill the time, and four chains made attention 7 % slower.
local CHAINS = 4

local function in_registers(em, e, name, from, to)
  local _, count = split(from, e.axis)
  local chains = em.unit.of_tiles.plan and 1 or math.min(CHAINS, count)
  local out = registers.array(em, e.tile.type.dtype, to.registers)
  registers.each(em, to.registers, function(r)
    local v = registers.array(em, e.tile.type.dtype, chains)
    local function each(first, last, fn)
      if first == last then return end
      em:line "#pragma unroll"
      em:open(("for (int _k = %d; _k < %d; _k++) {"):format(first, last))
      fn(("%s[%s]"):format(name, source(from, e.axis, r, "_k")))
      em:close "}"
    end
    each(0, chains, function(own) em:line(("%s[_k] = %s;"):format(v, own)) end)
    each(chains, count, function(own)
      local chain = ("%s[_k %% %d]"):format(v, chains)
      combine(em, e, chain, chain, own)
    end)
    each(1, chains, function() combine(em, e, v .. "[0]", v .. "[0]", v .. "[_k]") end)
    em:line(("%s[%s] = %s[0];"):format(out, r, v))
  end)
  return out
end

local function between_lanes(em, e, out, from, to)
  local bool = e.tile.type.dtype == "bool"
  for _, f in ipairs(layout.each(from, "lane", e.axis)) do
    for bit = 0, 4 do
      local mask = 1 << bit
      if mask >= f.weight and mask < f.weight * f.size then
        registers.each(em, to.registers, function(r)
          local x = ("%s[%s]"):format(out, r)
          combine(em, e, x, x, ("__shfl_xor_sync(0xffffffff, %s, %d)")
            :format(bool and "int(" .. x .. ")" or x, mask))
        end)
      end
    end
  end
end

local function between_warps(em, e, out, from, to)
  for _, f in ipairs(layout.each(from, "warp", e.axis)) do
    local dtype, threads = e.tile.type.dtype, from.warps * layout.LANES
    exchange.reserve(em, to.registers * threads * dtypes.of(dtype).size)
    em:open "{"
    local s = exchange.place(em, dtype, 0)
    em:line(em.unit.of_tiles.sync)
    registers.each(em, to.registers, function(r)
      em:line(("%s[%s * %d + _warp * 32 + _lane] = %s[%s];"):format(s, r, threads, out, r))
    end)
    em:line(em.unit.of_tiles.sync)
    local text = ("(_warp - _warp / %d %% %d * %d) * 32 + _lane"):format(f.weight, f.size, f.weight)
    local first = em:temporary("int", text)
    registers.each(em, to.registers, function(r)
      local x = ("%s[%s]"):format(out, r)
      em:line(("%s = %s[%s * %d + %s];"):format(x, s, r, threads, first))
      em:line "#pragma unroll"
      em:open(("for (int _k = 1; _k < %d; _k++) {"):format(f.size))
      combine(em, e, x, x, ("%s[%s * %d + %s + _k * %d]"):format(s, r, threads, first,
        f.weight * layout.LANES))
      em:close "}"
    end)
    em:close "}"
  end
end

local function reduced(em, e, name, from)
  local to = layout.sliced(from, e.axis)
  local out = in_registers(em, e, name, from, to)
  between_lanes(em, e, out, from, to)
  between_warps(em, e, out, from, to)
  return out, to
end

function registers.makers.reduce(em, e, l)
  local name, from = registers.natural(em, e.tile)
  local out, to = reduced(em, e, name, from)
  assert(to == l, "the layout of a reduction")
  return out
end

-- Both axes: a number, which all threads have.
function M.forms.reduce_all(em, e)
  local name, from = registers.natural(em, e.tile)
  local one = { tile = e.tile, body = e.body, axis = 1 }
  local rows, sliced = reduced(em, one, name, from)
  local all = reduced(em, { tile = e.tile, body = e.body, axis = 2 }, rows, sliced)
  return em:temporary(em:type_name(e.type), all .. "[0]"), true
end

return M
