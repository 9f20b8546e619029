-- The devices and element types that specs run on.
local busted = require "busted"

local M = {}

M.fake_gpu = (os.getenv "LUACUDA_TEST_FAKE_GPU" or "") ~= ""
M.sanitized = (os.getenv "LUACUDA_TEST_SANITIZER" or "") ~= ""

local function find_device(cuda, name)
  local ordinal = name:match "^gpu(%d+)$"
  if not ordinal then return cuda.device(name) end
  return cuda.device(tonumber(ordinal))
end

local function default_names(cuda)
  local names = { "cpu" }
  for _, device in ipairs(cuda.devices()) do
    if device.kind ~= "cpu" and device.ordinal == 0 then names[#names + 1] = "gpu0" end
  end
  return names
end

-- Names of the devices the suite runs on.
function M.device_names()
  local cuda = require "luacuda"
  local given = os.getenv "LUACUDA_DEVICES"
  if not given or given == "" then return default_names(cuda) end
  local names = {}
  for name in given:gmatch "[^%s,]+" do names[#names + 1] = name end
  return names
end

-- For a file of hundreds of kernels that looks at what they compute: NVRTC 13 may skip
-- optimizations, and takes half the time. Runs on GPUs, the fake one too, with sanitizers or with
-- the collector at every step compile as users do.
function M.compile_quickly()
  if M.fake_gpu or M.sanitized or os.getenv "LUACUDA_TEST_GC" == "1" then return end
  local cuda, names = require "luacuda", M.device_names()
  local nvrtc = cuda.versions().nvrtc
  if #names == 1 and names[1] == "cpu" and nvrtc and nvrtc[1] >= 13 then
    cuda.default_flags { "--Ofast-compile=max" }
  end
end

function M.for_each_device(fn)
  local cuda = require "luacuda"
  for _, name in ipairs(M.device_names()) do
    local device = find_device(cuda, name)
    busted.describe("on " .. name, function()
      local previous
      busted.before_each(function() previous = cuda.use(device) end)
      busted.after_each(function() cuda.use(previous) end)
      fn(device, name)
    end)
  end
end

local function kind_wanted(kind, wanted)
  if wanted == nil then return true end
  if type(wanted) == "string" then return kind == wanted end
  for _, one in ipairs(wanted) do
    if one == kind then return true end
  end
  return false
end

function M.for_all_dtypes(fn, opts)
  local rows = require("luacuda.core").dtypes()
  for _, row in ipairs(rows) do
    local coarse = row.kind == "float" and row.size == 1
    if kind_wanted(row.kind, opts and opts.kind) and (not coarse or opts and opts.coarse) then
      fn(row.name, row)
    end
  end
end

-- Calls fn(here, there) for the first two GPUs, real or fake, in both orders, each time in a block
-- of tests in which `here` is current. Calls nothing where there is one GPU.
function M.for_each_pair(what, fn)
  local cuda, gpus = require "luacuda", {}
  for _, device in ipairs(cuda.devices()) do
    if device.kind ~= "cpu" then gpus[#gpus + 1] = device end
  end
  for i = 1, #gpus >= 2 and 2 or 0 do
    local here, there = gpus[i], gpus[3 - i]
    busted.describe(("%s, %s and %s"):format(what, here.label, there.label), function()
      local previous
      busted.before_each(function() previous = cuda.use(here) end)
      busted.after_each(function() cuda.use(previous) end)
      fn(here, there)
    end)
  end
end

-- Makes a module of the source for each test of a block, calls take(module) before the test and
-- take(nil) after it.
function M.each_module(source, take)
  local cuda, module = require "luacuda", nil
  busted.before_each(function()
    module = cuda.module { source = source }
    take(module)
  end)
  busted.after_each(function()
    module:close()
    module = nil
    take(nil)
  end)
end

return M
