-- host.lua: runs a kernel's Lua function as ordinary Lua, thread by thread, for a debugger, for
-- `print`, and as a second opinion about the compiled kernel.

local core = require "luacuda.core"
local fail = require("luacuda.base.arguments").fail
local block = require "luacuda.jit.run_in_lua.block"
local names = require "luacuda.jit.run_in_lua.globals"
local launches = require "luacuda.jit.run_in_lua.shape"

local M = {}

-- Functions ---------------------------------------------------------------------------------------

-- A copy of a Lua function with the names of the kernel's language as its globals, and of the Lua
-- functions among its upvalues. All other upvalues are shared.
local function bound(run, fn)
  if run.copies[fn] then return run.copies[fn] end
  local ok, code = pcall(string.dump, fn)
  if not ok then return fn end
  local copy = load(code, nil, "b")
  run.copies[fn] = copy
  for k = 1, 255 do
    local name, value = debug.getupvalue(fn, k)
    if not name then break end
    local own = name == "_ENV" and run.globals(value) or names.host_of(run, value)
    if type(own) == "function" and (own == value or type(value) == "table") then
      own = bound(run, own)
    end
    if own == value then debug.upvaluejoin(copy, k, fn, k)
    else debug.setupvalue(copy, k, own) end
  end
  return copy
end

-- Arrays ------------------------------------------------------------------------------------------

-- The array in memory that Lua reads quickly; what was copied is copied back at the end.
local function on_host(run, array)
  if array.device.kind == "cpu" then return array end
  if not run.arrays[array] then
    run.arrays[array] = array:to "cpu"
    run.order[#run.order + 1] = array
  end
  return run.arrays[array]
end

local function return_arrays(run)
  for _, array in ipairs(run.order) do core.copy(array, run.arrays[array]) end
end

local function argument(run, what, k, value)
  local kind = core.type(value)
  if kind == "array" then return on_host(run, value) end
  if kind == "scalar" then return value.value end
  if kind == "texture" or kind == "surface" or kind == "record" then return value end
  if type(value) == "number" or type(value) == "boolean" or kind == "complex" then return value end
  fail(what, "argument %d: run_in_lua takes arrays, numbers, booleans and structs, got %s", k,
    kind or type(value))
end

-- Runs --------------------------------------------------------------------------------------------

local function each_block(shape, visit)
  local grid = shape.grid
  for z = 0, grid.z - 1 do
    for y = 0, grid.y - 1 do
      for x = 0, grid.x - 1 do visit { x = x, y = y, z = z } end
    end
  end
end

-- Runs the blocks of a grid one after the other; those that wait for the grid go on when all have
-- come.
local function run_grid(run, body)
  local waiting, ended = {}, nil
  each_block(run.shape, function(at)
    local one = block.start(run, body, at)
    if one.waits then waiting[#waiting + 1] = one else ended = one end
  end)
  while #waiting > 0 do
    if ended then block.stuck(waiting[1]) end
    local rest = {}
    for _, one in ipairs(waiting) do
      block.pass(run, one)
      if one.waits then rest[#rest + 1] = one else ended = one end
    end
    waiting = rest
  end
end

-- host.run(what, fn, launch, ...) runs fn for every thread of the launch and returns nothing.
-- Arrays of a GPU are copied to the host and back. Raises what the function raises, with its
-- thread.
function M.run(what, fn, launch, ...)
  if not debug then fail(what, "run_in_lua needs Lua's debug library") end
  local run = { what = what, shape = launches.shape(what, launch), copies = {}, arrays = {},
    order = {}, args = table.pack(...) }
  for k = 1, run.args.n do run.args[k] = argument(run, what, k, run.args[k]) end
  names.prepare(run)
  local body = bound(run, fn)
  run_grid(run, body)
  return_arrays(run)
end

return M
