-- Calls every function that a program can reach from `require "luacuda.core"` with random and
-- hostile arguments: of wrong types and numbers, of other classes, closed, enormous, recursive.
-- Run as a program:
--
--   lua5.4 core_calls.lua DEVICE SEED ROUNDS LOG [NAME...]
--
-- NAME: only these functions; -NAME: all but these. Each call is written to the file LOG before it
-- is made: the first line is the call that ended the process. Prints "done" and the number of
-- calls. An interpreter built with LUA_USE_APICHECK and LUAI_ASSERT finds more errors.
local device, seed, rounds, log_path = arg[1], tonumber(arg[2]), tonumber(arg[3]), arg[4]
local only, except = nil, {}
for i = 5, #arg do
  local name = arg[i]:match "^%-(.*)"
  if name then except[name] = true
  else
    only = only or {}
    only[arg[i]] = true
  end
end

local core = require "luacuda.core"

-- ---- real calls, to be changed in one place ----

-- Arguments that the library itself passed to functions of the core: name -> lists.
local samples, functions, sampling = {}, {}, true

local function sample(name, ...)
  local list = samples[name]
  if sampling and #list < 6 then list[#list + 1] = table.pack(...) end
end

for name, fn in pairs(core) do
  if type(fn) == "function" then
    functions[name], samples[name] = fn, {}
    core[name] = function(...)
      sample(name, ...)
      return fn(...)
    end
  end
end

local cuda = require "luacuda"
cuda.use(device)
math.randomseed(seed)

-- Functions that run programs or sleep by design.
local AVOIDED = { child_run = true, comm_pause = true }


-- ---- what functions there are ----

local function each_upvalue(fn, visit)
  if debug.getinfo(fn, "S").what ~= "C" then return end
  for i = 1, 20 do
    local name, value = debug.getupvalue(fn, i)
    if not name then return end
    if type(value) ~= "userdata" then visit(value, "^" .. i) end
  end
end

-- Collects functions below `value`: name -> function.
local function collect(value, path, seen, found)
  if value == nil or seen[value] or value == package or value == _G then return end
  local kind = type(value)
  if kind ~= "table" and kind ~= "userdata" and kind ~= "function" then return end
  seen[value] = true
  local function below(part, name) collect(part, path .. "." .. tostring(name), seen, found) end
  if kind == "function" then
    if debug.getinfo(value, "S").what == "C" then found[#found + 1] = { path, value } end
    each_upvalue(value, below)
  elseif kind == "table" then
    for name, part in next, value do below(part, name) end
  end
  below(debug.getmetatable(value), "meta")
end

local MODULE = [[
  struct Pair { float x; int n; };
  __constant__ int constants[4];
  __device__ float variable;
  extern "C" __global__ void add(float *x, const float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += y[i] + variable;
  }
  extern "C" __global__ void pairs_of(Pair p, Pair *q, int n) { if (n > 0) q[0] = p; }
]]

-- Objects of every class, by name.
local function make_objects()
  local Pair = cuda.struct("Pair", { { "x", "float32" }, { "n", "int32" } })
  local a, module = cuda.arange(6, "float32"), cuda.module(MODULE)
  local kernel = module:kernel "add"
  kernel({ threads = 6 }, a, a:copy(), 6)
  local pairs_ = cuda.zeros(3, Pair)
  local objects = {
    array = a, matrix = cuda.zeros({ 2, 3 }, "int32"), scalar_array = cuda.full({}, 3),
    view = cuda.zeros({ 4, 4 }, "float64"):slice({ 1, -1, 2 }, { 2, 3 }), empty = cuda.zeros(0),
    bools = cuda.array { true, false }, halves = cuda.zeros(5, "float16"),
    complexes = cuda.zeros(2, "complex64"), bytes = cuda.zeros(16, "uint8"),
    host = cuda.host(4, "float32", { zeros = true }), pinned = cuda.pinned(4, { zeros = true }),
    managed = cuda.managed(4, { zeros = true }), broadcast = cuda.ones(1):broadcast_to { 3, 4 },
    growing = cuda.empty(2, "int32", { reserve = 10 }), structs = pairs_, record = pairs_[1],
    shape = a.shape, range = cuda.range and cuda.range "fuzz" or nil, struct = Pair,
    stream = cuda.stream(), event = cuda.event():record(), device = cuda.device(),
    scalar = cuda.float32(2), complex = cuda.complex(1, 2), null = cuda.null,
    pointer = cuda.ptr(a.pointer), module = module, kernel = kernel,
    prepared = kernel:prepare { grid = 1, block = 32 }, input = cuda.input { 1, 2 },
    raw = cuda.raw(a), elementwise = cuda.elementwise("T x", "T y", "y = x + 1", "plus"),
    reduction = cuda.reduction("T x", "T y", "x", "a + b", "y = a", "0", "total"),
    fused = cuda.fuse(function(x) return x * 2 + 1 end),
    jit = cuda.jit "function(x, n) for i in grid(n) do x[i] = i end end",
    vectorized = cuda.vectorize(function(x) return x * x end),
    cuda_array = cuda.cuda_array({ 4, 4 }, "float32"),
    texture = cuda.texture(cuda.zeros({ 4, 8 }, "float32")), capsule = a:dlpack(),
    linker = cuda.linker(), graph = cuda.graph(function() kernel({ threads = 6 }, a, a, 0) end),
    error = select(2, pcall(cuda.module("__global__ void f() { nonsense }").compile)),
  }
  objects.surface = cuda.surface(cuda.cuda_array({ 4, 4 }, "float32", { surface = true }))
  return objects
end

local function try(fn, ...)
  local ok, value = pcall(fn, ...)
  return ok and value or nil
end

-- Work whose calls of the core are recorded.
local function exercise()
  local a, m = cuda.arange(24, "float32"), cuda.arange(24, "float32"):reshape { 4, 6 }
  local path = os.tmpname()
  for _, work in ipairs {
    function() return cuda.concat { a, a }, cuda.stack { a, a }, a:sort(), a:argsort() end,
    function() return a:unique(), a:nonzero(), a:searchsorted(a), a:take { 1, 2 }, a[a:gt(3)] end,
    function() return m:sum { axis = 1 }, m:mean(), m:max { axis = 2 }, a:cumsum(), a:std() end,
    function() return cuda.matmul(m, m:transpose()), cuda.einsum("ij,kj->ik", m, m) end,
    function()
      a:save_npy(path)
      return cuda.load_npy(path)
    end,
    function()
      m:save_csv(path)
      return cuda.load_csv(path)
    end,
    function()
      cuda.save_npz(path, { a = a })
      return cuda.load_npz(path).a
    end,
    function()
      m:view "uint8":slice({}, { 1, 3 }):contiguous():save_png(path)
      return cuda.load_png(path)
    end,
    function() return cuda.random.normal(10), cuda.random.permutation(5) end,
    function() return cuda.linspace(0, 1, 5), cuda.mem_info(), cuda.diagnose(), cuda.versions() end,
    function() return cuda.with_stream(cuda.stream(), function() return a + 1 end) end,
    function() return cuda.profile(function() return a:sum() end) end,
    function() return cuda.from_dlpack(a:dlpack()), cuda.compile(MODULE) end,
    function() return cuda.wrap(a.pointer, 4, "float32", { owner = a }) end,
    function() return cuda.copy(cuda.empty_like(a), a), cuda.memset(a, 0), cuda.gather { a, a } end,
    function()
      cuda.debug { errors = "object", allocations = true }
      cuda.debug { allocations = false }
    end,
  } do pcall(work) end
  os.remove(path)
end

local objects = assert(make_objects())
local closed = assert(make_objects())
for _, object in pairs(closed) do pcall(function() object:close() end) end
exercise()
sampling = false


-- ---- arguments ----

local random = math.random
local function pick(list) return list[random(#list)] end

local function names_of(map)
  local names = {}
  for name in pairs(map) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local OBJECTS = names_of(objects)
local INTEGERS = { 0, 1, 2, 3, 4, 7, -1, -2, 16, 64, 255, 256, -129, 65536, (1 << 31) - 1, 1 << 31,
  -(1 << 31), 1 << 32, (1 << 40) + 1, 1 << 53, 1 << 62, math.maxinteger, math.mininteger,
  math.maxinteger - 1 }
local FLOATS = { 0.0, -0.0, 0.5, -1.5, 1e308, -1e308, 1e-320, 2.0 ^ 31, 2.0 ^ 63, 2.0 ^ 64,
  math.huge, -math.huge, 0 / 0 }
local STRINGS = { "", "a", "float32", "int64", "complex128", "bool", "f16", "cpu", "gpu0", "C", "F",
  "x\0y", "%s%n%d", ("x"):rep(300), ("["):rep(5000), "{1,2}", "Array", "Stream", "float32 x",
  "T y = x", "1e400", "\xff\xfe", "-", "0x", "sum", "clip", "axis", MODULE, "\137PNG\r\n\26\n",
  "1,2\n3,4\n", "add", "__index", "luacuda" }
local NAMES = { "stream", "out", "device", "dtype", "axis", "shape", "grid", "block", "threads",
  "shared", "x", "n", "width", "height", "dst", "src", "strides", "owner", "memory", "timing",
  "priority", "format", "zeros", "re", "im", 1, 2, 3, "name", "source", "kind", "options" }

local value -- an argument, at most `depth` tables deep

local function list_of(depth)
  local list, same = {}, random(2) == 1 and value(0)
  for i = 1, random(0, 6) do list[i] = same or value(depth - 1) end
  return list
end

local function record_of(depth)
  local t = {}
  for _ = 1, random(0, 4) do t[pick(NAMES)] = value(depth - 1) end
  return t
end

local function recursive()
  local t = { 1 }
  t[2], t.x = t, t
  return random(2) == 1 and t or setmetatable({}, { __index = t })
end

local function with_metatable(depth)
  local length = value(0)
  return setmetatable(list_of(depth), {
    __len = function() return length end,
    __index = pick { function() return value(0) end, function() error "an index" end, recursive() },
    __tostring = pick { function() return value(0) end, tostring },
    __name = value(0), __pairs = function() return value(0) end, __eq = error, __lt = error,
  })
end

local function closing()
  local object = objects[pick(OBJECTS)]
  return setmetatable({}, { __index = function()
    pcall(function() object:free() end)
    collectgarbage()
    return value(0)
  end, __len = function() return 3 end })
end

local MAKERS = {
  function() return nil end,
  function() return random(2) == 1 end,
  function() return pick(INTEGERS) end,
  function() return pick(INTEGERS) end,
  function() return pick(FLOATS) end,
  function() return pick(STRINGS) end,
  function() return pick(STRINGS) end,
  function() return objects[pick(OBJECTS)] end,
  function() return objects[pick(OBJECTS)] end,
  function() return objects[pick(OBJECTS)] end,
  function() return closed[pick(OBJECTS)] end,
  function() return cuda.zeros(random(0, 5), pick { "float32", "int32", "uint8" }) end,
  function() return pick { print, pcall, error, type, function(...) return ... end,
    function() error {} end, function() return value(0) end, coroutine.yield } end,
  function() return coroutine.create(print) end,
  function() return io.stdout end,
  list_of, list_of, record_of, record_of, recursive, with_metatable, closing,
}

function value(depth)
  local v = pick(MAKERS)
  if depth <= 0 then
    for _ = 1, 3 do if v == list_of or v == record_of then v = pick(MAKERS) end end
    return v ~= with_metatable and v ~= closing and v(0) or nil
  end
  return v(depth)
end

local function random_arguments(first)
  local n = random(0, 8)
  local args = { n = n }
  for i = 1, n do args[i] = value(2) end
  if first ~= nil and random(4) > 1 then args[1], args.n = first, math.max(n, 1) end
  return args
end

-- A call of the library with one or two other arguments.
local function changed_sample(list)
  local from = pick(list)
  local args = table.move(from, 1, from.n, 1, { n = from.n })
  for _ = 1, random(0, 2) do args[random(math.max(args.n, 1))] = value(2) end
  if random(6) == 1 then args.n = random(0, args.n + 1) end
  return args
end


-- ---- the calls ----

local function show(v, depth)
  if type(v) == "string" then return ("%q"):format(#v > 40 and v:sub(1, 40) .. "..." or v) end
  if math.type(v) == "integer" then return ("%d"):format(v) end
  if type(v) ~= "table" then return functions.type(v) or tostring(v) end
  local parts = {}
  for k, part in next, v do
    if #parts < 8 then
      local text = depth > 0 and show(part, depth - 1) or ".."
      parts[#parts + 1] = ("[%s]=%s"):format(k, text)
    end
  end
  return (getmetatable(v) and "meta" or "") .. "{" .. table.concat(parts, ",") .. "}"
end

local log = assert(io.open(log_path, "w"))

local function note(name, args)
  local texts = {}
  for i = 1, args.n do texts[i] = show(args[i], 2) end
  log:seek "set"
  log:write(name, "(", table.concat(texts, ", "), ")\n")
  log:flush()
end

-- What a call may have set for later ones.
local function restore()
  pcall(functions._fail_at, 0)
  pcall(functions._mem_fail_at, 0)
  pcall(functions._string_errors, false)
  for _, switch in ipairs { "sync", "launch", "api" } do pcall(functions._watch, switch, false) end
  pcall(functions.use, device)
  pcall(functions.pool_limit, functions.device(device), 1 << 28)
end

local function call(name, fn, args)
  note(name, args)
  local thread = coroutine.create(function() return pcall(fn, table.unpack(args, 1, args.n)) end)
  coroutine.resume(thread) -- an argument may yield
  coroutine.close(thread)
  restore()
end

-- { name, function, samples, object for the first argument }
local function all_functions()
  local found = {}
  local function add(part, owner)
    for _, f in ipairs(part) do
      local name = f[1]:gsub("%.meta%.__complete%.%^%d", ":")
      if not AVOIDED[f[1]:match "[^.]+$"] then found[#found + 1] = { name, f[2], {}, owner } end
    end
  end
  local seen = {}
  for name, fn in pairs(functions) do
    if not AVOIDED[name] then found[#found + 1] = { name, fn, samples[name] } end
    seen[fn] = true
  end
  local part = {}
  collect(core, "core", seen, part)
  for _, name in ipairs(OBJECTS) do
    local below = {}
    collect(objects[name], name, seen, below)
    add(below, name)
  end
  add(part)
  table.sort(found, function(f, g) return f[1] < g[1] end)
  return found
end

local function chosen(f) return (not only or only[f[1]]) and not except[f[1]] end

local calls = 0
local all = all_functions()
for round = 1, rounds do
  for _, f in ipairs(all) do
    local args = #(f[3] or {}) > 0 and random(3) > 1 and changed_sample(f[3])
      or random_arguments(objects[f[4]])
    if chosen(f) then
      call(f[1], f[2], args)
      calls = calls + 1
    end
  end
  if round % 4 == 0 then
    collectgarbage()
    objects = try(make_objects) or objects
    pcall(cuda.synchronize)
  end
end
log:close()
print("done", calls)
