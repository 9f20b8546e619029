-- compile.lua: cuda.compile: compiles source without loading it.

local core = require "luacuda.core"
local compiler = require "luacuda.compile.compiler"
local target = require "luacuda.compile.target"
local toolchain = require "luacuda.compile.toolchain"
local logs = require "luacuda.source.logs"
local options = require "luacuda.source.options"
local origins = require "luacuda.source.origins"

local TARGETS = { ptx = true, cubin = true, ltoir = true }

local function check_target(kind)
  if TARGETS[kind] then return end
  core.misuse(("compile: option 'target': expected 'ptx', 'cubin' or 'ltoir', got '%s'"):format(
    kind))
end

-- cuda.compile(source, { target = "ptx"|"cubin"|"ltoir", ... }) -> bytes, log. Compiles for `arch`,
-- else for the current device. Raises compile errors.
local function compile(...)
  local spec = options.read("compile", ...)
  local kind = spec.target or "ptx"
  check_target(kind)
  if spec.binary then core.misuse("compile: expected source, got a compiled module") end
  local tools = toolchain.open()
  target.check_arch(spec)
  local arch = target.arch_number(spec) or target.of(core.device(), nil).arch
  local goal = { kind = kind == "cubin" and "cubin" or "ptx", arch = arch }
  local flags = target.flags(spec, goal, tools)
  if kind == "ltoir" then flags[#flags + 1] = "-dlto" end
  origins.speak_of(spec.origin, spec.callers)
  local result = compiler.run(spec, flags, spec.instances, spec.text, kind)
  if not result.ok then compiler.fail(spec, flags, result.log) end
  return result[kind], logs.readable(result.log)
end

return { compile = compile }
