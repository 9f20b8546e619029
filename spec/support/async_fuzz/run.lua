-- Runs mutants of a kernel of spec/corpus in this process: one module for many of them, each in a
-- namespace of its own.
local corpus = require "spec.support.corpus"
local hopper = require "spec.support.hopper"

local M = {}

-- The result that each launch of a program should have is the same for all mutants.
local wanted, launches = {}, 0

local WRONG = {} -- the error of a result that differs

local function compare_once(p, same)
  launches = launches + 1
  wanted[launches] = wanted[launches] or p.want()
  hopper.poison(p.out)
  p.launch()
  local ok, e = pcall(same, wanted[launches], p.out:totable())
  if not ok then error(setmetatable({ said = e }, WRONG), 0) end
end

function M.kernel_of(source) return source:match "([%w_]+)%(const __grid_constant__"
  or source:match "(gemm)%(const void" end

local function joined(program, mutants, left_out)
  local name = M.kernel_of(program.source)
  local parts = { '#include "hopper.h"\n' }
  for i, m in ipairs(mutants) do
    if not left_out[i] then
      local text = m.source:gsub('#include "hopper.h"', ""):gsub("%f[%w_]" .. name .. "%(",
        name .. "_" .. i .. "(")
      parts[#parts + 1] = ("namespace m%d {\n#line 1 \"mutant%d\"\n%s\n}\n"):format(i, i, text)
    end
  end
  return table.concat(parts)
end

-- The module, and the numbers of the mutants that the compiler refuses.
local function compile(cuda, program, mutants)
  local refused = {}
  while true do
    local options = {}
    for key, value in pairs(program.options) do options[key] = value end
    options.source = joined(program, mutants, refused)
    local module = cuda.module(options)
    local ok, e = pcall(module.compile, module)
    if ok then return module, refused end
    module:close()
    local found = false
    for digits in tostring(e):gmatch 'mutant(%d+)["(:]' do
      local number = math.tointeger(tonumber(digits))
      if not refused[number] then refused[number], found = tostring(e):sub(1, 200), true end
    end
    if not found then error(e, 0) end
  end
end

local function one_line(v) return (tostring(v):gsub("%s+", " ")) end

local function outcome(ok, e)
  if ok then return { kind = "right" } end
  if getmetatable(e) == WRONG then return { kind = "wrong", said = one_line(e.said) } end
  local report = type(e) == "table" and e.report
  if not report then return { kind = "error", said = one_line(e) } end
  return { kind = "reported", fault = e.fault, line = e.line, said = one_line(e) }
end

-- Runs mutants; tell(i, outcome) is called before (without one) and after each.
function M.run(program, mutants, tell)
  local cuda = require "luacuda"
  hopper.run = compare_once
  local module <close>, refused = compile(cuda, program, mutants)
  local name = M.kernel_of(program.source)
  for i in ipairs(mutants) do
    tell(i)
    if refused[i] then tell(i, { kind = "refused", said = one_line(refused[i]) })
    else
      launches = 0
      local kernels = { [name] = module.kernels[name .. "_" .. i] }
      local ok, e = pcall(function()
        program.run(kernels, corpus.tools(cuda, module))
        cuda.synchronize()
      end)
      if not ok then pcall(cuda.synchronize) end
      tell(i, outcome(ok, e))
    end
  end
end

return M
