-- kernel.lua: the Lua side of kernels: what the launch path in C calls (compiling for a device,
-- struct types, arrays made for one launch), and fields of Kernel.

local core = require "luacuda.core"
local later = require "luacuda.base.later"
local notes = later "luacuda.base.notes"
local loading = require "luacuda.kernel.loading"
local log = later "luacuda.kernel.log"
local lookup = later "luacuda.kernel.lookup"
local staging = later "luacuda.kernel.staging"
local naming = require "luacuda.source.naming"
local options = later "luacuda.source.options"
local plain = require "luacuda.source.plain"

local getters = core.getters "Kernel"

-- The state of a Kernel: module, name (nil until the only kernel of a source is known), shown (the
-- name that users know where it is another), settings (attributes assigned).
local function new_kernel(module, name)
  return core.kernel_new{ module = module, name = name }
end

-- kernels.named(module, name) -> the Kernel of that name; each module makes it once
local function named(module, name)
  local made = core.module_state(module).kernels
  if not made[name] or core.type(made[name]) ~= "kernel" then
    if not loading.note(module, name) then lookup.expect(module, name) end
    made[name] = new_kernel(module, name)
  end
  return made[name]
end

-- cuda.kernel(source [, name] [, options])
local function kernel(...)
  local spec = plain.read("kernel", ...) or options.read("kernel", ...)
  local module = loading.new(spec)
  if spec.name then return named(module, spec.name) end
  return new_kernel(module, nil)
end

-- Kernels of the library itself: operators, functions of arrays, builders. device:reset() unloads
-- them; their next use loads them again.
local library = setmetatable({}, { __mode = "k" })

-- Marks a kernel as one of the library's; returns it.
local function adopt(k)
  library[k] = true
  return k
end

-- cuda.kernel for the library itself
local function own(...) return adopt(kernel(...)) end

-- kernels.cooperative(k): all launches of the kernel, which is not bound yet, are cooperative.
local function cooperative(k) core.kernel_state(k).settings = { cooperative = 1 } end

-- kernels.show(k, name) -> the kernel k, which is shown to users under this name
local function show(k, name)
  core.kernel_state(k).shown = name
  return k
end

local found = {} -- name -> key -> Kernel

-- kernels.find(name, key, make, ...) -> the library's kernel `name` in the text make(...), compiled
-- once per key
local function find(name, key, make, ...)
  local of_name = found[name] or {}
  found[name] = of_name
  of_name[key] = of_name[key] or own(make(...), name)
  return of_name[key]
end

local function name_of(k)
  local state = core.kernel_state(k)
  if not state.name then state.name = lookup.entry_of(state.module, nil).name end
  return state.name
end

local function shown_name(k) return core.kernel_state(k).shown or name_of(k) end

-- Hooks that C calls ------------------------------------------------------------------------------

local hooks = {}

-- What lookup.resolve returns, which is called only where the module was compiled without the
-- kernel.
local function resolve(module, name, device)
  local artifact = loading.load(module, core.module_state(module), device)
  local entry = loading.find(artifact, name)
  if entry then return module, entry, artifact.code end
  return lookup.resolve(module, name, device)
end

-- Compiles and loads for a device, and binds the kernel there.
function hooks.resolve(k, device)
  local state = core.kernel_state(k)
  local home, entry, code = resolve(state.module, state.name, device)
  state.name = state.name or entry.name
  if state.shown then naming.note_shown(entry.lowered, state.shown) end
  loading.call(code, core.kernel_bind, k, home, device, entry.lowered, state.shown or entry.name,
    entry.signature, entry.param_names, entry.param_kinds)
  for name, value in pairs(state.settings or {}) do core.kernel_set(k, device, name, value) end
end

-- Unloads the library's kernels from a device, and frees what the library keeps.
function hooks.unload(device)
  notes.forget()
  for k in pairs(library) do
    if core.type(k) == "kernel" and core.kernel_unbind(k, device) then
      loading.unload(core.kernel_state(k).module, device)
    end
  end
end

hooks.name = shown_name

function hooks.tostring(k) return require("luacuda.kernel.text").of(k) end

-- The type of a parameter of a class: a Struct, "enum", or nil where it is not known. For an
-- enumeration also the name of its dtype, and true where only values of that dtype are right.
-- `is_enum`: the compiled code shows that it is one.
function hooks.layout(state, class, is_enum)
  local spec, struct = core.module_state(state.module).base, require "luacuda.kernel.struct"
  if is_enum then return "enum", struct.enum(spec, class) end
  return struct.layout(spec, class)
end

-- Arrays that are made for one launch.
function hooks.stage(...) return staging.stage(...) end
function hooks.finish(...) return staging.finish(...) end

core.hooks("kernel", hooks)

for _, name in ipairs(core.kernel_attribute_names()) do
  getters[name] = function(k) return core.kernel_attribute(k, name) end
end

-- Fields ------------------------------------------------------------------------------------------

local function spec_of(k) return core.module_state(core.kernel_state(k).module).base end

-- kernel.options -> the options it was compiled with
function getters.options(k)
  return options.given(spec_of(k))
end

-- kernel.log: the log of its module
function getters.log(k)
  return log.of(core.module_state(core.kernel_state(k).module), core.device())
end

return { kernel = kernel, named = named, own = own, find = find, adopt = adopt,
  show = show, cooperative = cooperative, name_of = name_of, spec_of = spec_of, raw = core.raw,
  input = core.input, output = core.output, inout = core.inout }
