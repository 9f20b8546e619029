-- vector_header.lua: the text of <luacuda/vector.h>: arithmetic on CUDA's vector types.

local AXES = { "x", "y", "z", "w" }

-- Per element type: the beginning of its vectors' names, and whether it has fractions.
local TYPES = {
  { name = "float", prefix = "float", real = true },
  { name = "double", prefix = "double", real = true },
  { name = "int", prefix = "int" }, { name = "unsigned", prefix = "uint" },
}

local FUNCTION = "__host__ __device__ __forceinline__ "

-- `term` for each axis, $ standing for its name, with `between` between them.
local function each(n, term, between)
  local list = {}
  for d = 1, n do list[d] = term:gsub("%$", AXES[d]) end
  return table.concat(list, between)
end

-- Functions of a vector type V with elements of S. A line is: result name (parameters): expression;
-- {...} is a vector of the expression inside.
local COMMON = [[
V operator- (V a): {-a.$}
V min (V a, V b): {a.$ < b.$ ? a.$ : b.$}
V min (V a, S b): {a.$ < b ? a.$ : b}
V max (V a, V b): {a.$ > b.$ ? a.$ : b.$}
V max (V a, S b): {a.$ > b ? a.$ : b}
V clamp (V v, V low, V high): min(max(v, low), high)
V clamp (V v, S low, S high): min(max(v, low), high)
]]
local OPERATOR = [[
V operator@ (V a, V b): {a.$ @ b.$}
V operator@ (V a, S b): {a.$ @ b}
V operator@ (S a, V b): {a @ b.$}
V &operator@= (V &a, V b): a = a @ b
V &operator@= (V &a, S b): a = a @ b
]]
local REAL = [[
V lerp (V a, V b, S t): a + t * (b - a)
S length (V v): sqrt(dot(v, v))
V normalize (V v): v / length(v)
]]
-- A NaN loses against a number, as with fmin and fmax of single numbers.
local REAL_ORDER = {
  ["a%.%$ < b%.%$ %? a%.%$ : b%.%$"] = "fmin(a.$, b.$)",
  ["a%.%$ < b %? a%.%$ : b"] = "fmin(a.$, b)",
  ["a%.%$ > b%.%$ %? a%.%$ : b%.%$"] = "fmax(a.$, b.$)",
  ["a%.%$ > b %? a%.%$ : b"] = "fmax(a.$, b)",
}
local SCALAR = [[
S clamp (S v, S low, S high): v < low ? low : v > high ? high : v
]]
local SCALAR_REAL = [[
S lerp (S a, S b, S t): a + t * (b - a)
]]
local CROSS = "V cross (V a, V b): make_V(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, "
  .. "a.x * b.y - a.y * b.x)\n"

-- The functions of a text for vectors of n elements.
local function functions(text, kind, n)
  local vector = kind.prefix .. n
  local list = {}
  for head, expression in text:gmatch "([^\n]-%)): ([^\n]+)\n" do
    local value = expression:gsub("^{(.*)}$", function(term)
      return ("make_V(%s)"):format(each(n, term, ", "))
    end)
    local line = ("%s { return %s; }\n"):format(head, value)
    list[#list + 1] = FUNCTION .. line:gsub("make_V", "make_" .. vector)
      :gsub("%f[%w_]V%f[^%w_]", vector):gsub("%f[%w_]S%f[^%w_]", kind.name)
  end
  return table.concat(list)
end

local function with_order(text)
  for pattern, replacement in pairs(REAL_ORDER) do text = text:gsub(pattern, replacement) end
  return text
end

local function of_type(kind)
  local list = { functions(SCALAR .. (kind.real and SCALAR_REAL or ""), kind, 1) }
  for n = 2, 4 do
    local text = kind.real and with_order(COMMON) or COMMON
    for op in ("+-*/"):gmatch "." do text = text .. OPERATOR:gsub("@", op) end
    text = text .. ("S dot (V a, V b): %s\n"):format(each(n, "a.$ * b.$", " + "))
    if kind.real then text = text .. REAL end
    if n == 3 then text = text .. CROSS end
    list[#list + 1] = functions(text, kind, n)
  end
  return table.concat(list)
end

local parts = { "#pragma once\n#ifndef __CUDACC_RTC__\n#include <cuda_runtime.h>\n#endif\n" }
-- CUDA 13 marks double4 as deprecated.
parts[2] = "#pragma nv_diagnostic push\n#pragma nv_diag_suppress 1444\n"
for _, kind in ipairs(TYPES) do parts[#parts + 1] = of_type(kind) end
parts[#parts + 1] = "#pragma nv_diagnostic pop\n"

return table.concat(parts)
