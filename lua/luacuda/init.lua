-- luacuda: the public names, nothing else. A file is loaded when one of its names is first used, so
-- `require "luacuda"` costs little and needs no GPU, driver or compiler.
local name, path = ...

-- This file is the first that another Lua reads, so Lua 5.1 must be able to.
local release = tonumber(_VERSION:match "%d+%.%d+")
if release < 5.4 then
  local own = rawget(_G, "jit") and _G.jit.version or _VERSION
  error(("luacuda needs Lua 5.4 or later, and this is %s"):format(own), 0)
end

-- The C library finds Lua's functions in the program that loads it.
local function load_core()
  local ok, library = pcall(require, "luacuda.core")
  if ok then return library end
  if type(library) == "string" and library:find "undefined symbol: luaL?_" then
    error(("%s\n(luacuda.core does not see Lua's functions: the program has loaded liblua with "
      .. "RTLD_LOCAL, or hides its symbols. Build luacuda with -DLUACUDA_LINK_LUA=ON, or load "
      .. "liblua with RTLD_GLOBAL.)"):format(library), 0)
  end
  error(library, 0)
end

local core = load_core()

-- Messages give positions in the user's code: chunks of this folder are skipped.
local folder = type(path) == "string" and path:match "^(.*[/\\])"
if folder then core.home("@" .. folder) end

local OPERATORS = "add subtract multiply divide floor_divide mod power negative maximum minimum"
  .. " fmax fmin clip bitwise_and bitwise_or bitwise_xor bitwise_not left_shift right_shift"
  .. " eq ne lt le gt ge logical_and logical_or logical_xor logical_not where"
local MATH = "sqrt cbrt square reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos"
  .. " atan sinh cosh tanh asinh acosh atanh deg2rad rad2deg floor ceil trunc rint round abs sign"
  .. " real imag conj angle isnan isinf isfinite signbit erf erfc tgamma lgamma"
  .. " hypot atan2 copysign fmod"

local REDUCTIONS = "sum prod min max mean var std any all count_nonzero argmin argmax"
local NAN_REDUCTIONS = "nansum nanprod nanmin nanmax nanmean nanvar nanstd nanargmin nanargmax"
local SCANS = "cumsum cumprod cummax cummin"
local VIEWS = "flip rot90 squeeze expand_dims ravel flatten swapaxes moveaxis"

local function typed_scalars()
  local names = ""
  for _, row in ipairs(core.dtypes()) do names = names .. " " .. row.name end
  return names
end

-- File -> the public names in its table.
local FILES = {
  ["luacuda.source.template"] = "template",
  ["luacuda.compile.compile"] = "compile preprocess nvcc_version architectures"
    .. " default_flags",
  ["luacuda.kernel.module"] = "module",
  ["luacuda.kernel.linker"] = "linker",
  ["luacuda.kernel.kernel"] = "kernel raw input output inout",
  ["luacuda.kernel.struct"] = "struct",
  ["luacuda.array.operators"] = OPERATORS,
  ["luacuda.array.math"] = MATH,
  ["luacuda.fuse.fuse"] = "fuse",
  ["luacuda.jit.jit"] = "jit",
  ["luacuda.tiles.tiled"] = "tiled",
  ["luacuda.jit.cpp.device_function"] = "device_function",
  ["luacuda.jit.names.markers"] = "gpu",
  ["luacuda.jit.vectorize"] = "vectorize",
  ["luacuda.jit.builders"] = "elementwise reduction scan",
  ["luacuda.array.scans"] = SCANS,
  ["luacuda.array.reductions"] = REDUCTIONS,
  ["luacuda.array.softmax"] = "softmax log_softmax logsumexp",
  ["luacuda.array.nan_reductions"] = NAN_REDUCTIONS,
  ["luacuda.array.close"] = "isclose allclose array_equal nan_to_num",
  ["luacuda.array.searching"] = "searchsorted digitize",
  ["luacuda.array.histogram"] = "histogram bincount",
  ["luacuda.array.quantile"] = "median quantile percentile",
  ["luacuda.array.partition"] = "partition argpartition topk",
  ["luacuda.array.average"] = "average ptp",
  ["luacuda.linalg.covariance"] = "cov corrcoef",
  ["luacuda.linalg.products"] = "matmul dot inner outer vdot trace",
  ["luacuda.linalg.norm"] = "norm",
  ["luacuda.linalg.tensordot"] = "tensordot kron",
  ["luacuda.linalg.einsum"] = "einsum",
  ["luacuda.compile.cache_public"] = "cache",
  ["luacuda.core"] = "is_error last_error type devices device use available versions synchronize"
    .. " mem_info stream event with_stream no_sync array empty zeros ones full arange linspace"
    .. " logspace eye empty_like zeros_like ones_like full_like pinned managed host register wrap"
    .. " alloc pinned_like managed_like host_like pointer_info"
    .. " alloc_pitch copy memset memset2d copy2d copy3d cuda_array texture surface tensor_map"
    .. " complex ptr null"
    .. " dtypes range from_dlpack open_ipc poll graph" .. typed_scalars(),
  ["luacuda.nccl.nccl"] = "nccl",
  ["luacuda.files.npy"] = "load_npy",
  ["luacuda.files.npz"] = "load_npz save_npz",
  ["luacuda.files.csv"] = "load_csv save_csv",
  ["luacuda.files.png"] = "load_png save_png",
  ["luacuda.array.sort"] = "sort argsort",
  ["luacuda.array.unique"] = "unique",
  ["luacuda.array.select"] = "compress nonzero putmask place",
  ["luacuda.array.take"] = "take put",
  ["luacuda.array.scatter"] = "scatter_add scatter_max scatter_min",
  ["luacuda.array.interp"] = "interp",
  ["luacuda.array.calculus"] = "gradient trapezoid",
  ["luacuda.array.convolve"] = "convolve correlate",
  ["luacuda.array.join"] = "concatenate stack",
  ["luacuda.array.views"] = VIEWS,
  ["luacuda.array.split"] = "split array_split",
  ["luacuda.array.spread"] = "split_to gather",
  ["luacuda.array.roll"] = "roll tile",
  ["luacuda.array.rep"] = "rep",
  ["luacuda.array.pad"] = "pad",
  ["luacuda.array.diagonal"] = "diagonal diag tril triu",
  ["luacuda.array.diff"] = "diff",
  ["luacuda.array.grids"] = "meshgrid indices",
  ["luacuda.array.random"] = "random",
  ["luacuda.runtime"] = "pool diagnose debug allocations",
  ["luacuda.profiling.profile"] = "profile benchmark profiler",
  ["luacuda.tuning.tune"] = "tune",
  ["luacuda.help"] = "help has",
}

-- Class -> file -> metamethods in its table.
local METAMETHODS = {
  Array = {
    ["luacuda.array.operators"] = "__add __sub __mul __div __idiv __mod __pow __unm"
      .. " __band __bor __bxor __bnot __shl __shr",
  },
}

local function takes_any_number(value)
  return type(value) ~= "function" or not debug or debug.getinfo(value, "u").isvararg
end

-- The value that a file has under `own`, as the public name `public` (of the class). Functions of
-- the library refuse more arguments than they have parameters.
local function loaded(file, own, public, class)
  local value = require(file)[own]
  if file == "luacuda.core" or takes_any_number(value) then return value end
  return require("luacuda.base.arity").limited(public, value,
    class and class .. "." .. public or public)
end

-- Adds functions that load their file when first called, and that the file's own functions then
-- replace.
local function defer(into, files, class)
  for file, names in pairs(files) do
    if names == "*" then names = FILES[file] end
    for key, own in names:gmatch "([^%s=]+)=?(%S*)" do
      into[key] = function(...)
        into[key] = loaded(file, own ~= "" and own or key, key, class)
        return into[key](...)
      end
    end
  end
end

-- Metamethods come first: core.class adds the methods. Reading methods.lua waits for a name that is
-- not there yet.
for class, files in pairs(METAMETHODS) do defer(select(3, core.class(class)), files, class) end
local CLASSES = "Array Kernel Communicator Elementwise Reduction Jit Scan Tiled Vectorized"
for class in CLASSES:gmatch "%a+" do
  core.methods(class, function(methods) defer(methods, require "luacuda.methods"[class], class) end)
end

-- Does a list of names contain this one?
local function has_name(names, wanted)
  local from, to = names:find(wanted, 1, true)
  while from do
    if not names:find("^%S", to + 1) and (from == 1 or names:sub(from - 1, from - 1) == " ") then
      return true
    end
    from, to = names:find(wanted, to + 1, true)
  end
  return false
end

-- The file of a public name; nil for every other key.
local function file_of(key)
  if type(key) ~= "string" or not key:find "^[%w_]+$" then return nil end
  for file, names in pairs(FILES) do
    if has_name(names, key) then return file end
  end
end

-- All public names.
local function public_names()
  local list = { "VERSION" }
  for _, names in pairs(FILES) do
    for public in names:gmatch "%S+" do list[#list + 1] = public end
  end
  return list
end

local cuda = {
  VERSION = core.version,
}

local function unknown(key)
  local names = public_names()
  table.remove(names, 1)
  core.misuse(("luacuda has no '%s'%s"):format(tostring(key), core.near(tostring(key), names,
    "cuda")))
end

local function load_name(_, key)
  local file = file_of(key)
  if not file then return unknown(key) end
  local value = loaded(file, key, key)
  if value == nil then error(("%s does not define '%s'"):format(file, key), 0) end
  cuda[key] = value
  return value
end

-- Iterates over all public names, including those whose files are not loaded yet.
local function each_name()
  local names = {}
  for _, public in ipairs(public_names()) do names[public] = cuda[public] end
  return next, names, nil
end

return setmetatable(cuda, {
  __name = name or "luacuda",
  __index = load_name,
  __pairs = each_name,
  __complete = function()
    local names = public_names()
    table.sort(names)
    return names
  end,
})
