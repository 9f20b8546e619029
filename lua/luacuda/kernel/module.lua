-- module.lua: cuda.module: the methods of Module, with its kernels by name and its variables as
-- arrays.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local reflect = require "luacuda.compile.reflect"
local kernels = require "luacuda.kernel.kernel"
local loading = require "luacuda.kernel.loading"
local log = require "luacuda.kernel.log"
local naming = require "luacuda.source.naming"
local options = require "luacuda.source.options"

local fail = arguments.fail

local methods, getters = core.class "Module"

-- Kernels -----------------------------------------------------------------------------------------

local function check_name_given(what, name)
  if type(name) ~= "string" then
    fail(what, "expected a name (string), got %s", type(name))
  end
  return naming.normalize(arguments.whole_text(what, "the name", name))
end

-- module:kernel(name) -> Kernel
function methods.kernel(module, name, ...)
  core.module_state(module) -- raises for a closed module
  options.no_more("module:kernel", ...)
  return kernels.named(module, check_name_given("module:kernel", name))
end

-- The iterator of pairs(module.kernels): names and kernels in the order of the source.
local function each_kernel(module)
  local names, i = loading.kernel_names(module, core.device()), 0
  return function()
    i = i + 1
    if names[i] then return names[i], methods.kernel(module, names[i]) end
  end
end

-- module.kernels.name, pairs(module.kernels), module:kernels() -> list of names
function getters.kernels(module)
  local state = core.module_state(module)
  if not state.proxy then
    state.proxy = setmetatable({}, {
      __name = "luacuda.Kernels",
      __index = function(_, name) return methods.kernel(module, name) end,
      __call = function(_, _, ...)
        options.no_more("module:kernels", ...)
        return loading.kernel_names(module, core.device())
      end,
      __pairs = function() return each_kernel(module) end,
    })
  end
  return state.proxy
end

-- Everything else ---------------------------------------------------------------------------------

-- module.log: warnings of the compiler and messages of the driver
function getters.log(module) return log.of(core.module_state(module), core.device()) end

-- module.jit -> what the driver's PTX compiler or linker reported, and the registers of each kernel
function getters.jit(module)
  local state, device = core.module_state(module), core.device()
  local artifact = loading.load(module, state, device)
  local jit = { registers = {} }
  for key, value in pairs(state.reports[device]) do jit[key] = value end
  for _, name in ipairs(loading.names_of(artifact)) do
    jit.registers[name] = methods.kernel(module, name).num_regs
  end
  return jit
end

-- module:compile([{ log = }]) compiles and loads for the current device immediately, with every
-- kernel; returns the module.
function methods.compile(module, opts, ...)
  local state = core.module_state(module)
  options.no_more("module:compile", ...)
  local write = log.writer("module:compile", opts)
  local artifact = loading.load(module, state, core.device())
  for _, entry in ipairs(artifact.kernels) do methods.kernel(module, entry.name):compile() end
  write(state)
  return module
end

local function find_variable(artifact, name)
  for _, v in ipairs(artifact.variables) do
    if v.name == name or v.lowered == name then return v end
  end
end

-- Is a variable only read by kernels? If this is not certain it counts as written.
local function is_constant(spec, artifact, name)
  local plain = name:gsub("<.*$", ""):match("([%w_]+)$") or name
  if spec.text then
    local stop = "[^;{}]-%f[%w_]" .. plain .. "%f[^%w_]"
    return (spec.text:find("__constant__" .. stop)
      or spec.text:find("__constant__[^;{}]*%b{}" .. stop)) ~= nil        -- struct { ... } name
  end
  return artifact.kind == "ptx"
    and artifact.code:find("%.const [^;\n]-%f[%w_]" .. plain .. "%f[^%w_]") ~= nil
end

local function unknown_variable(artifact, name)
  local names = {}
  for i, v in ipairs(artifact.variables) do names[i] = v.name end
  local all = #names > 0 and table.concat(names, ", ") or "none"
  local hint = name:find("<", 1, true)
    and "; of variable templates it has the instances that its code uses" or ""
  core.misuse(("the module has no variable '%s'%s (it has: %s)%s"):format(name,
    core.near(name, names), all, hint))
end

-- The struct type of a variable whose type is a class, or has no name, if the compiler reports its
-- layout.
local function class_of(spec, variable)
  local type_ = variable.type
  if not type_ then return require("luacuda.kernel.struct").of_variable(spec, variable.name) end
  local info = core.type_info(type_)
  if not info or info.kind ~= "class" then return nil end
  local layout = require("luacuda.kernel.struct").layout(spec, info.class)
  return type(layout) == "userdata" and layout or nil, info
end

local function make_global(module, device, state, artifact, variable, dtype)
  local constant = is_constant(state.base, artifact, variable.name)
  local struct, info
  if not dtype then struct, info = class_of(state.base, variable) end
  dtype = dtype or struct
  local array, bytes = core.module_global(module, device, variable.lowered, variable.type, constant,
    dtype)
  if array then
    return struct and not variable.type and array.size == 1 and array:reshape({}) or array
  end
  array = core.module_global(module, device, variable.lowered, nil, constant, "uint8")
  if not variable.type or info then return array end
  core.misuse(("global '%s': its type (%d bytes) is not a dtype: give the option dtype"):format(
    variable.name, bytes))
end

-- module:global(name [, { dtype = }]) -> Array over the variable on the current device
function methods.global(module, name, opts, ...)
  local state = core.module_state(module)
  options.no_more("module:global", ...)
  name = check_name_given("module:global", name)
  if opts ~= nil and type(opts) ~= "table" then
    core.misuse(("module:global: expected a table of options, got %s"):format(type(opts)))
  end
  arguments.check_names("module:global", opts or {}, { "dtype" })
  local device = core.device()
  local artifact = loading.load(module, state, device)
  local listed = find_variable(artifact, name)
    or find_variable(artifact, reflect.variable(state.base, name))
  local variable = listed or artifact.binary and { name = name, lowered = name }
  if not variable then unknown_variable(artifact, name) end
  local dtype = opts and opts.dtype
  local ok, array = pcall(make_global, module, device, state, artifact, variable, dtype)
  if ok then return array end
  if not listed and loading.has_name(array, "CUDA_ERROR_NOT_FOUND") then
    unknown_variable(artifact, name)
  end
  error(array, 0)
end

-- module:source() -> the CUDA C++ text
function methods.source(module, ...)
  options.no_more("module:source", ...)
  local text = core.module_state(module).base.text
  if not text then core.misuse("module:source: the module was made from a binary") end
  return text
end

-- What to say about a type without a size; `why` is the compiler's reason.
local function refuse_type(name, why)
  if why:find "incomplete type" then
    fail("module:sizeof", "'%s' is only declared in this source, so it has no size", name)
  end
  if why:find "is undefined" or why:find "has no member" or why:find "undeclared" then
    fail("module:sizeof", "the source has no type '%s' (%s)", name, why)
  end
  fail("module:sizeof", "'%s' is not a type with a size: %s", name, why)
end

-- module:sizeof(type) -> bytes, alignment
function methods.sizeof(module, name, ...)
  local spec = core.module_state(module).base
  options.no_more("module:sizeof", ...)
  name = check_name_given("module:sizeof", name)
  if name:find "[;{}\n#]" or not name:find "%S" or name == "void" then
    fail("module:sizeof", "'%s' is not the name of a type", name)
  end
  if not spec.text and not spec.link then
    fail("module:sizeof", "the module was made from a binary, which has no types")
  end
  local size, align = reflect.size(spec, name)
  if not size then refuse_type(name, align) end
  return size, align
end

-- cuda.module(source [, options])
local function module(...)
  return loading.new(options.read("module", ...))
end

return { module = module, new = loading.new }
