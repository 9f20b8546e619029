-- kernel_profile.lua: kernel:profile: runs a launch on the CPU device, which counts what each line
-- of the source costs.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local class = require "luacuda.base.class"
local faults = require "luacuda.source.faults"
local estimate = require "luacuda.profiling.estimate"
local gpus = require "luacuda.profiling.gpus"
local listing = require "luacuda.profiling.listing"
local registers = require "luacuda.profiling.registers"
local sources = require "luacuda.profiling.sources"

local fail = arguments.fail

local COUNTS = core._cost_names()

local methods = {}
local LineProfile = class.new("LineProfile", methods, { "kernels", "lines", "files",
  "totals", "estimate", "html" })

local compiled = setmetatable({}, { __mode = "k" }) -- profile -> the Kernel, where there is one

-- Counts ------------------------------------------------------------------------------------------

local function add(to, from)
  for _, name in ipairs(COUNTS) do to[name] = (to[name] or 0) + from[name] end
end

-- Clocks of a multiprocessor that the counts stand for: it issues four warp instructions and moves
-- four sectors, or passes once over the banks of shared memory.
local function clocks(c)
  return c.instructions / 4 + c.shared_wavefronts + (c.global_sectors + c.local_sectors) / 4
end

local function derive(c, all)
  c.lane_use = c.instructions > 0 and c.thread_instructions / (32 * c.instructions) or 0.0
  c.sectors_per_access = c.global_accesses > 0 and c.global_sectors / c.global_accesses or nil
  c.share = all > 0 and clocks(c) / all or 0.0
end

-- Lines -------------------------------------------------------------------------------------------

local function before(a, b)
  if a.file ~= b.file then return (a.file or "\255") < (b.file or "\255") end
  return (a.line or 0) < (b.line or 0)
end

-- The lines of all kernels, each once; file -> text of its lines.
local function merge(raw)
  local list, found, text_of = {}, {}, {}
  local place = sources.reader()
  for _, one in ipairs(raw) do
    local file, line, text = place(one.file, one.line)
    local key = ("%s\0%d"):format(file or "", line or 0)
    if not found[key] then
      found[key] = { file = file, line = line, text = text and text(line) }
      list[#list + 1] = found[key]
      if file then text_of[file] = text_of[file] or text end
    end
    add(found[key], one)
  end
  table.sort(list, before)
  return list, text_of
end

local function new_profile(kernels, raw)
  local totals = {}
  for _, name in ipairs(COUNTS) do totals[name] = 0 end
  for _, kernel in ipairs(kernels) do
    kernel.name = faults.readable_name(kernel.name) or kernel.name
    add(kernel, totals)
  end
  for _, one in ipairs(raw) do
    add(kernels[one.kernel], one)
    add(totals, one)
  end
  local lines, text_of = merge(raw)
  local all = clocks(totals)
  for _, group in ipairs { kernels, lines, { totals } } do
    for _, counts in ipairs(group) do derive(counts, all) end
  end
  return setmetatable({ kernels = kernels, lines = lines, totals = totals,
    files = sources.files(lines, text_of) }, LineProfile)
end

-- Methods -----------------------------------------------------------------------------------------

local function check(profile, method)
  if getmetatable(profile) ~= LineProfile then
    fail(method, "expected LineProfile before the ':', got %s", arguments.describe(profile))
  end
end

function LineProfile:__tostring() return listing.text(self) end

local function gpu_of(what, arch)
  local gpu = gpus[arch]
  if gpu then return gpu end
  local known = {}
  for name in pairs(gpus) do known[#known + 1] = name end
  table.sort(known, function(a, b) return tonumber(a:match "%d+") < tonumber(b:match "%d+") end)
  fail(what, "expected one of %s, got %s", table.concat(known, ", "),
    type(arch) == "string" and "'" .. arch .. "'" or arguments.describe(arch))
end

local function registers_of(profile, kernel, arch, given)
  if given then return given, "given" end
  local k = compiled[profile]
  local n = k and core.type(k) == "kernel" and #profile.kernels == 1 and registers.count(k, arch)
  if n then return n, "cubin" end
  return math.max(kernel.registers, 1), "ptx"
end

-- profile:estimate(arch [, { registers =, kernel = }]) -> Estimate for a GPU
function methods:estimate(arch, opts, ...)
  check(self, "estimate")
  if select("#", ...) > 0 then fail("estimate", "too many arguments") end
  opts = arguments.options("estimate", opts, { "registers", "kernel" })
  local gpu = gpu_of("estimate", arch)
  local index = arguments.count("estimate", opts, "kernel", 1, math.max(#self.kernels, 1)) or 1
  local kernel = self.kernels[index]
  if not kernel then fail("estimate", "the profile has no kernel") end
  local given = arguments.count("estimate", opts, "registers", 1, 255)
  return estimate.of(kernel, arch, gpu, registers_of(self, kernel, arch, given))
end

-- profile:html(path [, { arch = }]) writes the profile as one page; returns the profile.
function methods:html(path, opts, ...)
  check(self, "html")
  if select("#", ...) > 0 then fail("html", "too many arguments") end
  opts = arguments.options("html", opts, { "arch" })
  local file = require "luacuda.files.file"
  file.check_path("html", path)
  local page = require "luacuda.profiling.page"
  local text = page.text(self, opts.arch and self:estimate(opts.arch))
  file.replace("html", path, function(handle) file.put("html", path, handle, text) end)
  return self
end

-- Profiles ----------------------------------------------------------------------------------------

-- The Kernel that has just run, for its machine code.
local function kernel_of(object)
  if core.type(object) == "kernel" then return object end
  local ok, kernel = pcall(function() return object:kernel() end)
  return ok and kernel or nil
end

-- object:profile(...) -> LineProfile of what object(...) launches
local function profile(object, ...)
  local made = new_profile(core._costs("profile", object, ...))
  compiled[made] = kernel_of(object)
  return made
end

return { profile = profile }
