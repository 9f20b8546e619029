-- ahead.lua: compiles the sources of a linked module at the same time.

local build = require "luacuda.compile.build"
local cache = require "luacuda.compile.cache"
local dependencies = require "luacuda.compile.dependencies"
local make = require "luacuda.compile.make"
local target = require "luacuda.compile.target"
local toolchain = require "luacuda.compile.toolchain"

-- ahead.compile(units, device) compiles at the same time those sources of a linked module that are
-- not kept; their artifacts are then made from the results. NVRTC has a lock that lets one thread
-- compile, so this is for nvcc alone.
local function compile(units, device)
  local runs = {}
  for _, spec in ipairs(units) do
    if spec.backend ~= "nvcc" then return end
    local goal = target.of(device, spec)
    local deps, complete = dependencies.of(spec)
    local flags, key = build.resolve(spec, goal, deps, toolchain.open(spec))
    if not (spec.cache and complete and cache.has(key, spec.cache_dir or true)) then
      runs[#runs + 1] = make.run_of(spec, goal, flags, deps)
    end
  end
  if #runs > 1 then make.run_ahead(runs) end
end

return { compile = compile }
