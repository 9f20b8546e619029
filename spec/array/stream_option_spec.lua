-- The option stream: all that a function does on a device, it does on the stream that it is given.
-- The oracle is cuda.profile, which says on which stream each kernel, copy and fill ran.
local cuda = require "luacuda"
local helper = require "spec.helper"

-- Functions and methods with this option that have no case, and why.
local LEFT_OUT = {
  empty = "it does no work", empty_like = "it does no work", alloc = "it does no work",
  alloc_pitch = "it does no work", prefetch = "profiles do not have it",
  cuda_array = "texture specs test it", copy3d = "as copy2d", memset2d = "as memset",
  tune = "candidates work as they want", dlpack = "dlpack_spec.lua tests it",
  from_dlpack = "dlpack_spec.lua tests it", wrap = "wrap_spec.lua tests it",
}
-- Classes that other specs test, with streams that others wait for.
local OTHER_CLASSES = { Communicator = true, Event = true, Graph = true, CuArray = true }

-- The CPU device does these at once in host memory, where no kernel is needed.
local IN_PLACE = {}
for name in ("array arange eye linspace logspace indices load_npy load_npz load_csv load_png ravel "
  .. "astype contiguous concatenate diag"):gmatch "%S+" do
  IN_PLACE[name] = true
end

-- Options with the stream, and others.
local stream
local function on(options)
  options = options or {}
  options.stream = stream
  return options
end

-- Inputs, made once per device.
local function inputs()
  local g, t = cuda.random.generator(3), {}
  t.g, t.x, t.m = g, g:normal(300), g:normal { 20, 30 }
  t.y, t.square, t.k = g:normal(300), g:normal { 20, 20 }, g:normal(5)
  t.i, t.index = g:integers(1, 9, 300), g:integers(1, 20, 40)
  t.mask, t.mask2 = t.x:gt(0), t.m:gt(0)
  t.sorted, t.z = t.x:sort(), t.x:astype "complex64"
  t.wide = t.m:transpose()
  return t
end

local NUMBERS = { 3, 1, 2 }

-- Name -> function of the inputs that calls it, with the option, in its different ways.
local CASES = {
  array = function() cuda.array(NUMBERS, on()) end,
  zeros = function() cuda.zeros(1000, on()) end,
  ones = function() cuda.ones({ 3, 4 }, on()) end,
  full = function() cuda.full(10, 3, on()) end,
  zeros_like = function(t) cuda.zeros_like(t.m, on()) end,
  ones_like = function(t) cuda.ones_like(t.m, on()) end,
  full_like = function(t) cuda.full_like(t.m, 4, on()) end,
  arange = function() cuda.arange(100, on()) end,
  linspace = function() cuda.linspace(0, 1, 50, on()) end,
  logspace = function() cuda.logspace(0, 1, 50, on()) end,
  eye = function() cuda.eye(9, on()) end,
  load_npy = function(t) cuda.load_npy(t.files .. "/x.npy", on()) end,
  load_npz = function(t) cuda.load_npz(t.files .. "/x.npz", on()) end,
  load_csv = function(t) cuda.load_csv(t.files .. "/x.csv", on()) end,
  load_png = function(t) cuda.load_png(t.files .. "/x.png", on()) end,
  set = function(t)
    t.x:copy(on()):set(t.y, on())
    t.x:copy(on()):set(1, on())
    cuda.zeros(3, on()):set(NUMBERS, on())
  end,
  fill = function(t) t.m:copy(on()):fill(2, on()) end,
  copy = function(t)
    t.x:copy(on())
    t.wide:copy(on())
    cuda.copy(t.out, t.x, on())
  end,
  contiguous = function(t) t.wide:contiguous(on()) end,
  astype = function(t) t.x:astype("int32", on()) end,
  to = function(t) t.x:to(t.device, on { out = t.out }) end,
  ravel = function(t) t.wide:ravel(on()) end,
  flatten = function(t) t.m:flatten(on()) end,
  roll = function(t)
    t.x:roll(3, on())
    t.m:roll({ 1, 2 }, on { axis = { 1, 2 } })
  end,
  tile = function(t) t.m:tile({ 2, 3 }, on()) end,
  rep = function(t)
    t.m:rep(2, on())
    t.m:rep(2, on { axis = 1 })
    t.i:rep(t.i, on())
  end,
  pad = function(t)
    for _, mode in ipairs { "constant", "edge", "wrap", "reflect" } do
      t.m:pad(2, mode, on())
    end
  end,
  diag = function(t)
    t.x:diag(0, on())
    t.m:diag(0, on()):copy(on()):fill(1, on())
  end,
  tril = function(t) t.m:tril(0, on()) end,
  triu = function(t) t.m:triu(0, on()) end,
  diff = function(t)
    t.m:diff(2, on { axis = 1 })
    t.x:diff(1, on { prepend = 0, append = t.k })
  end,
  indices = function() cuda.indices({ 3, 4 }, on()) end,
  copy2d = function(t)
    cuda.copy2d { dst = t.square, src = t.m, width = 40, height = 3, stream = stream }
  end,
  memset = function(t) cuda.memset(t.out, 0, on()) end,
  sort = function(t)
    cuda.sort(t.x, on())
    cuda.sort(t.wide, on { axis = 1 })
    t.x:copy(on()):sort(on())
    t.m:copy(on()):sort(on { axis = 1 })
  end,
  argsort = function(t)
    t.x:argsort(on())
    t.m:argsort(on { axis = 1 })
  end,
  unique = function(t)
    t.i:unique(on())
  end,
  compress = function(t) t.x:compress(t.mask, on()) end,
  nonzero = function(t)
    t.mask:nonzero(on())
    t.mask2:nonzero(on())
  end,
  putmask = function(t) t.x:copy(on()):putmask(t.mask, t.y, on()) end,
  place = function(t) t.x:copy(on()):place(t.mask, 3, on()) end,
  take = function(t)
    t.x:take(t.index, on())
    t.m:take(t.index, on { axis = 1 })
    t.x:take(NUMBERS, on())
  end,
  put = function(t)
    t.x:copy(on()):put(t.index, t.y:slice { 1, 40 }, on())
    t.x:copy(on()):put(NUMBERS, NUMBERS, on())
  end,
  concatenate = function(t) cuda.concatenate({ t.m, t.square }, on { axis = 2 }) end,
  stack = function(t) cuda.stack({ t.x, t.y }, on()) end,
  isclose = function(t) t.x:isclose(t.y, on()) end,
  allclose = function(t) t.x:allclose(t.y, on()) end,
  array_equal = function(t) cuda.array_equal(t.x, t.y, on()) end,
  nan_to_num = function(t) t.x:nan_to_num(on()) end,
  average = function(t)
    t.x:average(on { weights = t.weights })
    t.m:average(on { axis = 1 })
    t.k:average(on { weights = { 1, 2, 3, 4, 5 } })
    t.m:average(on { axis = 1, weights = t.twenty })
  end,
  ptp = function(t)
    t.x:ptp(on())
    t.m:ptp(on { axis = 1 })
  end,
  cov = function(t)
    cuda.cov(t.m, on())
    cuda.cov(t.x, t.y, on())
    cuda.cov(t.x, t.y, on { aweights = t.weights, fweights = t.i })
  end,
  corrcoef = function(t)
    cuda.corrcoef(t.m, on())
    cuda.corrcoef(t.x, t.y, on())
  end,
  median = function(t)
    t.x:median(on())
    t.m:median(on { axis = 1 })
  end,
  quantile = function(t)
    t.x:quantile(0.3, on())
    t.m:quantile({ 0.2, 0.3 }, on { axis = 2 })
    t.m:quantile(t.quarters, on { axis = 1 })
  end,
  percentile = function(t) t.m:percentile(30, on { axis = 2 }) end,
  partition = function(t)
    cuda.partition(t.x, 9, on())
    t.m:copy(on()):partition(3, on { axis = 1 })
  end,
  argpartition = function(t)
    t.x:argpartition(9, on())
    t.m:argpartition(3, on { axis = 1 })
  end,
  topk = function(t)
    t.x:topk(9, on())
    t.m:topk(3, on { axis = 1 })
  end,
  searchsorted = function(t)
    t.sorted:searchsorted(t.k, on())
    t.sorted:searchsorted(0.5, on())
  end,
  digitize = function(t)
    cuda.digitize(t.k, t.sorted, on())
    cuda.digitize(t.k, { -1, 0, 2 }, on())
  end,
  bincount = function(t)
    cuda.bincount(t.i, on())
    cuda.bincount(t.i, on { weights = t.x, minlength = 50 })
  end,
  histogram = function(t)
    cuda.histogram(t.x, 7, on())
    cuda.histogram(t.x, t.quarters, on { density = true })
    cuda.histogram(t.x, { -1, 0, 2 }, on())
    cuda.histogram(t.x, 9, on { weights = t.y, range = { -1, 1 } })
  end,
  softmax = function(t) t.m:softmax(on()) end,
  log_softmax = function(t) t.m:log_softmax(on { axis = 1 }) end,
  logsumexp = function(t)
    t.m:logsumexp(on { axis = 1 })
    t.x:logsumexp(on())
  end,
  interp = function(t)
    cuda.interp(t.k, t.sorted, t.y, on())
    cuda.interp(t.k, { 0, 1 }, { 2, 3 }, on())
  end,
  gradient = function(t)
    t.m:gradient(on())
    t.x:gradient(on { spacing = t.sorted, edge_order = 2 })
  end,
  trapezoid = function(t)
    t.m:trapezoid(on())
    t.x:trapezoid(on { x = t.sorted })
  end,
  convolve = function(t) cuda.convolve(t.x, t.k, "same", on()) end,
  correlate = function(t) cuda.correlate(t.x, t.k, "full", on()) end,
  matmul = function(t)
    t.m:matmul(t.wide, on())
    t.m:astype("int32", on()):matmul(t.wide:astype("int32", on()), on())
  end,
  dot = function(t)
    t.x:dot(t.y, on())
    t.square:dot(t.m, on())
  end,
  inner = function(t)
    t.x:inner(t.y, on())
    t.m:inner(t.m, on())
  end,
  outer = function(t) t.x:outer(t.k, on()) end,
  vdot = function(t) t.z:vdot(t.z, on()) end,
  tensordot = function(t) cuda.tensordot(t.m, t.m, { { 1, 2 }, { 1, 2 } }, on()) end,
  kron = function(t) cuda.kron(t.square, t.k, on()) end,
  trace = function(t) t.square:trace(on()) end,
  norm = function(t)
    for _, ord in ipairs { 1, 2, 3, math.huge } do t.x:norm(ord, on()) end
    t.m:norm("fro", on())
    t.m:norm(1, on())
  end,
  choice = function(t)
    t.g:choice(10, 5, on())
    t.g:choice(t.x, 5, on { replace = false })
    t.g:choice(t.x, 5, on { p = t.weights })
    t.g:choice(3, 5, on { p = { 1, 2, 3 } })
    t.g:choice(t.x, 5, on { p = t.weights, replace = false })
  end,
  integers = function(t) t.g:integers(1, 7, 10, on()) end,
  gamma = function(t) t.g:gamma(2, 10, on()) end,
  shuffle = function(t)
    t.g:shuffle(t.x:copy(on()), on())
    t.g:shuffle(t.m:copy(on()), on())
  end,
  permutation = function(t)
    t.g:permutation(9, on())
    t.g:permutation(t.m, on())
  end,
  bits = function(t) t.g:bits(10, on()) end,
  Elementwise = function(t) t.twice(t.x, on()) end,
  Reduction = function(t) t.total(t.m, on { axis = 1 }) end,
  Scan = function(t) t.sums(t.m, on { axis = 1 }) end,
  Fused = function(t) t.fused(t.x, t.y, on()) end,
  Vectorized = function(t) t.vectorized(t.x, on()) end,
}

for name in ("add power lt atan2 maximum"):gmatch "%S+" do
  CASES[name] = function(t)
    cuda[name](t.x, t.y, on())
    cuda[name](2, t.y, on())
  end
end
for name in ("negative sqrt round isnan real"):gmatch "%S+" do
  CASES[name] = function(t) cuda[name](t.x, on()) end
end
CASES.where = function(t) cuda.where(t.mask, t.x, 1, on()) end
CASES.clip = function(t) cuda.clip(t.x, -1, t.y, on()) end
for _, name in ipairs { "sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax",
  "any", "all", "count_nonzero", "nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmin",
  "nanmax", "nanargmin", "nanargmax" } do
  CASES[name] = function(t)
    cuda[name](t.x, on())
    cuda[name](t.m, on { axis = 1 })
  end
end
for _, name in ipairs { "cumsum", "cumprod", "cummax", "cummin" } do
  CASES[name] = function(t)
    cuda[name](t.x, on())
    cuda[name](t.m, on { axis = 1 })
  end
end
for _, name in ipairs { "scatter_add", "scatter_max", "scatter_min" } do
  CASES[name] = function(t)
    t.x:copy(on())[name](t.x:copy(on()), t.index, t.y:slice { 1, 40 }, on())
  end
end
for _, name in ipairs { "uniform", "normal", "exponential" } do
  CASES[name] = function(t)
    t.g[name](t.g, 10, on())
    t.g[name](t.g, 1001, on { dtype = "float64" })
  end
end
CASES.poisson = function(t) t.g:poisson(3, 10, on()) end
CASES.binomial = function(t) t.g:binomial(20, 0.3, 10, on()) end

-- Documented names -------------------------------------------------------------------------------

local function has_stream(list)
  for _, text in ipairs(list or {}) do
    if text:find "^stream%?: Stream" then return true end
  end
  return false
end

-- name -> class, of all entries with the option.
local function documented()
  local found = {}
  for _, subject in ipairs(dofile "docs/api/index.lua") do
    for _, part in ipairs(dofile(("docs/api/%s.lua"):format(subject)).parts) do
      for _, e in ipairs(part.entries or {}) do
        if has_stream(e.options) or has_stream(part.options) then found[e[1]] = part.class end
      end
    end
  end
  return found
end

describe("the documents", function()
  it("have no function with the option that this file does not know", function()
    for name, class in pairs(documented()) do
      local is_known = OTHER_CLASSES[class] or LEFT_OUT[name] or CASES[name]
        or name == "__call" and CASES[class]
      assert.is_truthy(is_known, name)
    end
  end)
end)

-- A folder with files to load, which lasts as long as a test.
local function files()
  local folder = helper.tmpdir()
  cuda.ones { 4, 5 }:save_npy(folder .. "/x.npy")
  cuda.ones { 4, 5 }:save_csv(folder .. "/x.csv")
  cuda.ones({ 4, 5, 3 }, "uint8"):save_png(folder .. "/x.png")
  cuda.save_npz(folder .. "/x.npz", { x = cuda.ones { 4, 5 } })
  return folder
end

helper.for_each_device(function(device)
  describe("the option stream", function()
    local t, number
    setup(function()
      cuda.use(device)
      t = inputs()
      t.device, t.out, t.quarters = device, t.x:copy(), cuda.array { 0.25, 0.5, 0.75 }
      t.weights = t.y * t.y / (t.y * t.y):sum()
      t.twenty = t.square:slice({}, 1)
      t.twice = cuda.elementwise("T x", "T y", "y = 2 * x", "twice")
      t.total = cuda.reduction("T x", "T y", "x", "a + b", "y = a", "0", "total")
      t.sums = cuda.scan("T x", "T y", "x", "a + b", "0", "sums")
      t.fused = cuda.fuse(function(a, b) return a * b + 1 end)
      t.vectorized = cuda.vectorize(function(a) return a * 2 + 1 end)
      stream = cuda.stream()
      number = cuda.profile(function() t.x:copy(on()) end).entries[1].stream
    end)
    teardown(function() t, stream = nil, nil end)

    for name, call in pairs(CASES) do
      it("is where " .. name .. " works", function()
        t.files = name:find "^load_" and files()
        local count = 0
        for _, entry in ipairs(cuda.profile(function() call(t) end).entries) do
          -- a result that becomes a Lua value is read in the order of the current stream
          if entry.device ~= "host" and not entry.name:find "to host$" then
            count = count + 1
            assert.equal(number, entry.stream, ("%s %s"):format(entry.kind, entry.name))
          end
        end
        assert.is_true(count > 0 or device.kind == "cpu" and IN_PLACE[name], "no work")
      end)
    end
  end)
end)
