-- block_size.lua: kernel:tune: the fastest block for one kernel, of CUDA C++ or Lua.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local lists = require "luacuda.base.lists"
local tuning = require "luacuda.tuning.tune"

local WHAT = "kernel:tune"

-- Blocks that are tried, by the axes of `threads`.
local LINES = { 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024 }
local SIDES = { 1, 2, 4, 8, 16, 32, 64, 128, 256 }
local LEAST, LEAST_X = 64, 8 -- threads of a block of several axes, and along x

-- {x, y} or {x, y, 1}, ...: all blocks of powers of two from LEAST to `most` threads
local function blocks_of_axes(axes, most)
  local list = {}
  for _, x in ipairs(SIDES) do
    for _, y in ipairs(SIDES) do
      for _, z in ipairs(axes == 3 and { 1, 2, 4, 8 } or { 1 }) do
        local threads = x * y * z
        if x >= LEAST_X and threads >= LEAST and threads <= most then
          list[#list + 1] = axes == 3 and { x, y, z } or { x, y }
        end
      end
    end
  end
  return list
end

local function blocks_for(axes, most)
  if axes > 1 then return blocks_of_axes(axes, most) end
  local list = {}
  for _, block in ipairs(LINES) do
    if block <= most then list[#list + 1] = block end
  end
  return list
end

local LAUNCH = { "threads", "shared", "stream", "ordered", "cooperative", "cluster", "programmatic",
  "priority", "sync_domain" }
local SEARCH = table.move(tuning.COMMON, 1, #tuning.COMMON, 2, { "blocks" })
local KEYS = table.move(SEARCH, 1, #SEARCH, #LAUNCH + 1, lists.copy(LAUNCH))

-- The keys of the launch table that are options of the search, and those of the launch.
local function split(launch)
  local options, rest = {}, {}
  for _, name in ipairs(SEARCH) do options[name] = launch[name] end
  for _, name in ipairs(LAUNCH) do rest[name] = launch[name] end
  return options, rest
end

-- Adds what arguments are: their kinds, and the dtypes and shapes of arrays.
local function add_arguments(parts, args)
  for i = 1, args.n do
    local v = args[i]
    local kind = core.type(v)
    local shape = kind == "array" and table.concat(v.shape, " ") or ""
    local dtype = kind == "array" and type(v.dtype) == "string" and v.dtype or ""
    parts[#parts + 1] = ("%s %s %s"):format(kind or math.type(v) or type(v), dtype, shape)
  end
end

-- What else decides which block is best: the kernel, the launch and the kinds of the arguments.
local function identity_of(kernel, rest, args)
  local ok, source = pcall(kernel.source, kernel)
  local parts = { ok and source or kernel.name }
  for _, name in ipairs { "threads", "shared", "cooperative", "cluster" } do
    local v = rest[name]
    parts[#parts + 1] = type(v) == "table" and table.concat(v, " ") or tostring(v)
  end
  add_arguments(parts, args)
  return core.sha256(table.unpack(parts))
end

local function check_launch(launch)
  if type(launch) ~= "table" then
    arguments.fail(WHAT, "expected a launch table such as { threads = n } first, got %s",
      arguments.describe(launch))
  end
  for _, name in ipairs { "grid", "block" } do
    if launch[name] ~= nil then
      arguments.fail(WHAT, "launch: '%s' is what the search chooses: give 'threads', and blocks to "
        .. "try in 'blocks'", name)
    end
  end
  arguments.check_names(WHAT .. ": launch", launch, KEYS)
  if launch.threads == nil then arguments.fail(WHAT, "launch: 'threads' is missing") end
end

-- A function that launches a kernel with the arguments, for one block.
local function prepare_kernel(kernel, launch, args)
  local prepared = kernel:prepare(launch)
  return function() prepared(table.unpack(args, 1, args.n)) end
end

-- The same for a kernel written in Lua, which is found by the launch and the arguments.
local function prepare_jit(k, launch, args)
  return k:prepare(launch, table.unpack(args, 1, args.n))
end

local function maker(k, prepare, rest, args)
  return function(p)
    local launch = { block = p.block }
    for key, value in pairs(rest) do launch[key] = value end
    return prepare(k, launch, args)
  end
end

-- The Kernel of an object with this method, and how it is prepared. Raises for others.
local function kernel_of(k, args)
  if core.jit_state(k) then return k:kernel(table.unpack(args, 1, args.n)), prepare_jit end
  core.kernel_state(k) -- raises for anything but an open kernel
  return k, prepare_kernel
end

-- k:tune(launch, ...) -> Tuning, whose best.block is the fastest block
local function tune(k, launch, ...)
  local args = table.pack(...)
  local kernel, prepare = kernel_of(k, args)
  check_launch(launch)
  local options, rest = split(launch)
  local axes = type(launch.threads) == "table" and #launch.threads or 1
  local job = tuning.read_common(WHAT, options)
  job.name, job.make = kernel.name, maker(k, prepare, rest, args)
  job.identity = identity_of(kernel, rest, args)
  local blocks = options.blocks
  if blocks == nil then blocks = blocks_for(axes, kernel.max_threads_per_block) end
  return tuning.run(tuning.complete(job, options, { block = blocks }))
end

return { tune = tune, add_arguments = add_arguments }
