-- Kernels are compiled when they are first used, so code that only makes them does not test their
-- source. compiled.run(fn) also compiles every kernel and module that fn made.
local core = require "luacuda.core"
local helper = require "spec.helper"
require "luacuda.kernel.module"         -- the method compile

local M = {}

local MAKERS = { module_new = "modules", kernel_new = "kernels", elementwise_new = "builders",
  reduction_new = "builders" }

-- Is it the state of a builder that the library made for itself, such as cuda.sqrt? The names in
-- its sources begin with _lcu_.
local function is_own(kind, state)
  if kind == "builders" then return not state.mentioned end
  return kind == "modules" and state.base.text ~= nil and state.base.text:find("_lcu_", 1, true)
end

-- Replaces the makers while fn runs; returns what they made: { modules =, kernels =, builders = }.
local function watch(fn)
  local made = { modules = {}, kernels = {}, builders = {} }
  local kept = {}
  for name, kind in pairs(MAKERS) do
    kept[name] = core[name]
    core[name] = function(state, ...)
      local object = kept[name](state, ...)
      if not is_own(kind, state) then table.insert(made[kind], object) end
      return object
    end
  end
  local ok, problem = pcall(fn)
  for name in pairs(MAKERS) do core[name] = kept[name] end
  if not ok then error(problem, 0) end
  return made
end

-- Compiles a kernel or module. The compiler does not know the architecture of the fake GPU, which
-- options may name.
local function compile(object)
  local ok, problem = pcall(object.compile, object)
  local unknown = helper.fake_gpu
    and tostring(problem):find("does not support it (it supports", 1, true)
  if not ok and not unknown then error(problem, 0) end
end

-- Calls fn; compiles the kernels and modules that it made, and fails for an elementwise kernel or
-- reduction that it never called. Returns how many sources were compiled.
function M.run(fn)
  local made = watch(fn)
  for _, list in ipairs { made.modules, made.kernels } do
    for _, object in ipairs(list) do compile(object) end
  end
  for _, builder in ipairs(made.builders) do
    assert(#builder:cached() > 0, "never called: " .. tostring(builder.name))
  end
  return #made.modules + #made.builders
end

return M
