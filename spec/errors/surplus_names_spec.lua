-- Every function and method of the reference refuses an argument more than it lists.
local cuda = require "luacuda"
local read = require("luacuda.manual.subjects").read

local function nothing() end

local TEXT = "__global__ void k(float *x) { x[0] = 1; }"

-- Class -> an object of it.
local OBJECTS = {
  Array = function() return cuda.array { 1, 2 } end, Stream = cuda.stream, Event = cuda.event,
  Device = cuda.device, Graph = function() return cuda.graph(nothing) end,
  Module = function() return cuda.module('extern "C" ' .. TEXT) end,
  Kernel = function() return cuda.kernel(TEXT) end,
  Prepared = function() return cuda.kernel(TEXT):prepare { threads = 1 } end,
  Struct = function() return cuda.struct("P", { { "a", "int32" } }) end,
  Complex = function() return cuda.complex(1, 2) end, Pointer = function() return cuda.ptr(0) end,
  Elementwise = function() return cuda.elementwise("T x", "T y", "y = x", "e") end,
  Reduction = function()
    return cuda.reduction("T x", "T y", "x", "a + b", "y = a", "0", "r")
  end,
  Scan = function() return cuda.scan("T x", "T y", "x", "a + b", nil, "s") end,
  Fused = function() return cuda.fuse(nothing) end, Range = function() return cuda.range "x" end,
  Pool = function() return cuda.pool() end, Linker = function() return cuda.linker() end,
  Generator = function() return cuda.random.generator(1) end,
  Profile = function() return cuda.profile(nothing) end,
  Capsule = function() return cuda.zeros(3):dlpack() end,
  CuArray = function() return cuda.cuda_array { 4, 4 } end,
}

local TABLES = { luacuda = cuda, Cache = cuda.cache, Profiler = cuda.profiler,
  Random = cuda.random }

-- Arguments of functions that look at them before they count them; others get nil.
local function arguments()
  local a, shape = cuda.array { 1, 2 }, { 3, "float32", {} }
  local like = { a, "float32", {} }
  local list = { bool = { true }, register = { cuda.host(2) }, call = { nothing }, field = { "x" },
    surface = { cuda.cuda_array({ 2, 2 }, { surface = true }) },
    full = { 3, 1, "float32", {} }, full_like = { a, 1, "float32", {} }, wrap = { 0, 3, "u8", {} },
    alloc = { 3, {} }, arange = { 1, 3, 1, "float32", {} }, linspace = { 1, 2, 3, "float32", {} },
    array = { { 1 }, "float32", {} }, logspace = { 1, 2, 3, "float32", {} },
    update = { nothing }, graph = { nothing }, alloc_pitch = { {} }, copy2d = { {} },
    copy3d = { {} }, prepare = { { threads = 1 } } }
  for name in ("empty zeros ones pinned managed host eye"):gmatch "%S+" do list[name] = shape end
  for name in ("empty zeros ones pinned managed host"):gmatch "%S+" do
    list[name .. "_like"] = like
  end
  for _, name in ipairs(cuda.dtypes()) do
    name = type(name) == "table" and name.name or name
    list[name] = list[name] or { 1 }
  end
  return list
end

-- Messages about what the surplus argument was probably meant for.
local MEANT = { "too many arguments", "expected %d inputs? and at most 1 output", "at the end, got",
  "expected only a launch table", "expected one string" }

-- close and free do the same as __close, which gets the error as well; type is like Lua's own;
-- complex numbers take an imaginary part; the rest belongs to the work of a graph.
local SKIPPED = { complex64 = true, complex128 = true, close = true, free = true, type = true,
  condition = true, loop = true, switch = true, when = true }

-- The most arguments that an entry lists; nil for any number.
local function most_of(entry)
  local most = 0
  for _, form in ipairs { entry.params or {}, table.unpack(entry.forms or {}) } do
    for _, param in ipairs(form) do
      if param.name:find "^%.%.%." then return nil end
    end
    most = math.max(most, #form)
  end
  return most + (entry.options and #entry.options > 0 and 1 or 0)
end

local function is_meant(message)
  for _, pattern in ipairs(MEANT) do
    if message:find(pattern) then return true end
  end
  return false
end

describe("one argument too many", function()
  local given = arguments()

  -- What the function answers to it, or nil where it refuses.
  local function answer(class, entry, most)
    local object = OBJECTS[class] and OBJECTS[class]()
    local fn = object == nil and TABLES[class][entry.name] or object[entry.name]
    local args = table.move(given[entry.name] or {}, 1, most, 1, {})
    local n = most + 1
    args[n] = 77
    if object ~= nil then
      table.move(args, 1, n, 2)
      args[1], n = object, n + 1
    end
    local ok, message = pcall(fn, table.unpack(args, 1, n))
    if ok then return "is ignored" end
    return not is_meant(tostring(message)) and tostring(message) or nil
  end

  for _, class in ipairs((select(2, read()))) do
    if OBJECTS[class.name] or TABLES[class.name] then
      it("is refused by what " .. class.name .. " has", function()
        local found = {}
        for _, entry in ipairs(class.entries) do
          local most = (entry.kind == "function" or entry.kind == "method")
            and not SKIPPED[entry.name] and most_of(entry)
          local text = most and answer(class.name, entry, most)
          if text then found[#found + 1] = entry.name .. ": " .. text end
        end
        assert.equal("", table.concat(found, "\n"))
      end)
    end
  end
end)
