-- Inputs stay unchanged: no function closes an array that it only reads, or writes to it.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- A few functions stand for all that are built the same way.
local BINARY = "add divide floor_divide maximum lt logical_and atan2"
local BITWISE = "bitwise_and left_shift"
local UNARY = "negative logical_not sqrt abs real isnan"
local REDUCTIONS = "sum prod min max mean var std any all count_nonzero argmin argmax"
local SCANS = "cumsum cumprod cummax cummin"

-- Values of 4 by 6 elements in different layouts.
local LAYOUTS = {
  contiguous = function(a) return a end,
  transposed = function(a) return a:transpose():copy():transpose() end,
  ["of every other column"] = function(a)
    local wide = cuda.zeros({ 4, 12 }, a.dtype)
    local view = wide:slice({}, { 1, 12, 2 })
    view:set(a)
    return view
  end,
}

local function numbers(dtype)
  return (cuda.arange(24, "int32") % 7 + 1):astype(dtype):reshape { 4, 6 }
end

-- name -> function that makes arrays; it returns a function to call and its arguments
local CASES = {}

local function case(name, dtypes, fn)
  for _, dtype in ipairs(dtypes) do CASES[name .. " of " .. dtype] = { dtype, fn } end
end

for name in BINARY:gmatch "%S+" do
  case(name, { "float32", "int32" }, function(x, y) return cuda[name], { x, y } end)
  case(name .. " in an out", { "float32" }, function(x, y)
    return function(a, b)
      cuda[name](a, b, { out = cuda.zeros({ 4, 6 }, cuda[name](a, b).dtype) })
    end, { x, y }
  end)
end
for name in BITWISE:gmatch "%S+" do
  case(name, { "int32" }, function(x, y) return cuda[name], { x, y } end)
end
for name in UNARY:gmatch "%S+" do
  case(name, { "float32" }, function(x) return cuda[name], { x } end)
end
for name in REDUCTIONS:gmatch "%S+" do
  case(name, { "float32" }, function(x) return cuda[name], { x } end)
  for axis = 1, 2 do
    case(name .. " along axis " .. axis, { "float32" }, function(x)
      return function(a) return cuda[name](a, { axis = axis }) end, { x }
    end)
  end
end
for name in SCANS:gmatch "%S+" do
  case(name, { "int32" }, function(x) return cuda[name], { x } end)
  for axis = 1, 2 do
    case(name .. " along axis " .. axis, { "int32" }, function(x)
      return function(a) return cuda[name](a, { axis = axis }) end, { x }
    end)
  end
end

case("sort", { "float32", "uint8" }, function(x) return cuda.sort, { x } end)
case("sort along axis 1", { "int64" }, function(x)
  return function(a) return cuda.sort(a, { axis = 1 }) end, { x }
end)
case("argsort", { "int32" }, function(x) return cuda.argsort, { x } end)
case("unique", { "int32" }, function(x) return function(a) return cuda.unique(a) end, { x } end)
case("where", { "float32" }, function(x, y) return cuda.where, { x:gt(3), x, y } end)
case("clip", { "float32" }, function(x, y) return cuda.clip, { x, y, y } end)
case("compress", { "float32" }, function(x) return cuda.compress, { x, x:gt(3) } end)
case("nonzero", { "int32" }, function(x) return cuda.nonzero, { x } end)
case("concatenate", { "float32" }, function(x, y)
  return function(a, b) return cuda.concatenate { a, b } end, { x, y }
end)
case("stack", { "float32" }, function(x, y)
  return function(a, b) return cuda.stack { a, b } end, { x, y }
end)
case("flatten and views", { "float32" }, function(x)
  return function(a)
    return a:flatten(), a:ravel(), a:flip(), a:rot90(), a:expand_dims(1):squeeze(), a:split(2)
  end, { x }
end)
case("roll", { "float32" }, function(x)
  return function(a) return a:roll(1), a:roll(1, { axis = 2 }) end, { x }
end)
case("tile and rep", { "float32" }, function(x, y)
  return function(a, b)
    return a:tile { 2, 1 }, a:rep(2), a:rep(1, { axis = 2 }), a:rep(b:ravel()),
      a:slice({}, { 1, 1 }):rep(b:slice({}, 1))
  end, { x, y:astype "int32" }
end)
case("pad", { "float32" }, function(x)
  return function(a) return a:pad(1), a:pad(1, "edge"), a:pad(0), a:pad(0, "wrap") end, { x }
end)
case("diag, triangles and diff", { "float32" }, function(x, y)
  return function(a, b)
    return a:slice(1):diag(1), a:tril(), a:triu(), a:diff(), a:diff(0),
      a:diff { prepend = b, append = b }
  end, { x, y }
end)
case("meshgrid", { "float32" }, function(x, y)
  return function(a, b) return cuda.meshgrid(a, b) end, { x, y }
end)
case("matmul", { "float32", "int32" }, function(x, y) return cuda.matmul, { x, y:transpose() } end)
case("inner", { "float32" }, function(x, y) return cuda.inner, { x, y } end)
case("outer", { "float32" }, function(x, y) return cuda.outer, { x, y } end)
case("norm", { "float32" }, function(x) return cuda.norm, { x } end)
case("trace", { "float32" }, function(x) return cuda.trace, { x } end)
case("copies", { "float32" }, function(x)
  return function(a)
    local made = { a:copy(), a:astype "int32", a:contiguous(), cuda.zeros_like(a),
      cuda.full_like(a, 3) }
    cuda.copy(cuda.zeros({ 4, 6 }), a)
    return cuda.zeros({ 4, 6 }):set(a), made
  end, { x }
end)
case("comparison and text", { "float32" }, function(x, y)
  return function(a, b) return a:equals(b), tostring(a), a:totable() end, { x, y }
end)

-- Index arrays of every integer dtype, right and wrong.
for _, dtype in ipairs { "int8", "int32", "int64", "uint32", "uint64" } do
  for _, axis in ipairs { 0, 1, 2 } do
    case(("take along %d by %s"):format(axis, dtype), { "float32" }, function(x)
      return function(a, index) return cuda.take(a, index, { axis = axis > 0 and axis or nil }) end,
        { x, cuda.array({ 1, 3, 2, 2 }, dtype) }
    end)
  end
  case("take wrong ones of " .. dtype, { "float32" }, function(x)
    return function(a, index) assert.is_false((pcall(cuda.take, a, index))) end,
      { x, cuda.array({ 1, 99 }, dtype) }
  end)
  case("put by " .. dtype, { "float32" }, function(x)
    return function(index, values) return cuda.put(cuda.zeros { 4, 6 }, index, values) end,
      { cuda.array({ 1, 3, 2, 2, 24 }, dtype), x:slice({ 1, 1 }, { 1, 5 }):reshape(5) }
  end)
  case("put wrong ones of " .. dtype, { "float32" }, function(x)
    return function(index, values)
      assert.is_false((pcall(cuda.put, cuda.zeros(3), index, values)))
    end,
      { cuda.array({ 1, 99 }, dtype), x:slice({ 1, 1 }, { 1, 2 }):reshape(2) }
  end)
end
case("putmask", { "float32" }, function(x)
  return function(mask, v) cuda.putmask(cuda.zeros { 4, 6 }, mask, v) end, { x:gt(2), x }
end)
case("permutation", { "float32" }, function(x) return cuda.random.permutation, { x } end)

local blend = cuda.elementwise("T x, T y", "T z", "z = x + y", "intact_blend")
local total = cuda.reduction("T x", "T y", "x", "a + b", "y = a", "0", "intact_total")
local running = cuda.scan("T x", "T y", "x", "a + b", "0", "intact_running")
local fused = cuda.fuse(function(x, y) return cuda.sqrt(x * x + y), cuda.sum(x) end)
case("an elementwise kernel", { "float32", "int8" }, function(x, y) return blend, { x, y } end)
case("a reduction", { "float32" }, function(x) return total, { x } end)
case("a scan", { "float32" }, function(x) return running, { x } end)
case("a fused function", { "float32" }, function(x, y) return fused, { x, y } end)

helper.for_each_device(function()
  for layout, make in pairs(LAYOUTS) do
    it("by functions of arrays that are " .. layout, function()
      for name, row in pairs(CASES) do
        local fn, given = row[2](make(numbers(row[1])), make(numbers(row[1]) + 1):astype(row[1]))
        local before = {}
        for i, a in ipairs(given) do before[i] = a:totable() end
        local result = fn(table.unpack(given))
        for i, a in ipairs(given) do
          assert.equal("array", cuda.type(a), ("%s: argument %d"):format(name, i))
          assert.same(before[i], a:totable(), ("%s: argument %d"):format(name, i))
        end
        if cuda.type(result) == "array" and name ~= "comparison and text of float32" then
          -- the result is not a view of an argument
          result:fill(result.dtype == "bool" and true or 0)
          for i, a in ipairs(given) do
            assert.same(before[i], a:totable(), ("%s: result and argument %d"):format(name, i))
          end
        end
      end
    end)
  end
end)
