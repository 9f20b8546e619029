-- tile_settings.lua: what one kernel over tiles has besides its unit (jit/unit.lua): unit.of_tiles.

local core = require "luacuda.core"
local functions = require "luacuda.tiles.tile_functions"
local inline = require "luacuda.tiles.inline"
local layout = require "luacuda.tiles.thread_layout"
local lift = require "luacuda.tiles.lift"
local names = require "luacuda.tiles.names"
local pipeline = require "luacuda.tiles.pipeline"
local pipeline_text = require "luacuda.tiles.pipeline_text"
local place = require "luacuda.tiles.place"
local registers = require "luacuda.tiles.registers_text"
local memory = require "luacuda.tiles.memory_text"
local reductions = require "luacuda.tiles.reduction_text"
local lists = require "luacuda.base.lists"
local report = require "luacuda.jit.typed.report"
local slots = require "luacuda.jit.typed.slots"
local whole = require "luacuda.tiles.whole_functions"
require "luacuda.tiles.product_text"

local forms = {}
lists.unite(forms, memory.forms, "forms of tiles")
lists.unite(forms, reductions.forms, "forms of tiles")

-- One number counts all programs: along y and z, a grid has at most 65535 blocks.
local PROGRAMS = [[
  const int64 _program_x = blockIdx.x % _count_x, _program_y = blockIdx.x / _count_x % _count_y;
  const int64 _program_z = blockIdx.x / _count_x / _count_y;
  const int64 _programs_x = _count_x, _programs_y = _count_y, _programs_z = _count_z;
  (void)_program_x, (void)_program_y, (void)_program_z;
  (void)_programs_x, (void)_programs_y, (void)_programs_z;]]

-- head(w) -> the declarations at the start of the kernel. Of groups that run programs in turn, each
-- has the warps of a program.
local function head(w)
  local in_turn = w.plan and w.plan.in_turn
  local lines = {
    ("  const int _lane = threadIdx.x %% 32, _warp = threadIdx.x / 32%s;"):format(
      in_turn and " % 4" or ""),
    "  (void)_lane, (void)_warp;",
    not w.plan and PROGRAMS or nil,
  }
  if w.shared_bytes > 0 and not w.plan then
    lines[#lines + 1] = "  extern __shared__ __align__(128) unsigned char _shared[];"
  end
  for _, line in ipairs(w.places) do lines[#lines + 1] = line end
  return table.concat(lines, "\n") .. "\n"
end

-- A kernel whose copies run ahead of its products, if it can be one; w.no_plan: why it cannot.
local function plan(w, ctx)
  local p, fits
  p, w.no_plan = pipeline.find(w, ctx)
  if not p then return false end
  w.plan = p
  place.place(w, ctx)
  fits, w.no_plan = pipeline.fits(w, p)
  if fits then
    pipeline_text.attach(w, p)
    ctx.unit.compiler.arch = "sm_90a"
    return true
  end
  pipeline.forget(p)
  w.plan = nil
end

-- new{ warps =, stages =, persistent =, cluster = options of cuda.tiled, constants =, call = {
-- tensor_cores =, groups = has the device wgmma?, most_shared = bytes of a block }, which the
-- kernel is made for } -> unit.of_tiles
local function new(options)
  local call = options.call
  local w = { warps = options.warps, tensor_cores = call.tensor_cores,
    threads = options.warps * layout.LANES, sync = "__syncthreads();",
    statements = pipeline_text.statements,
    stages = options.stages, persistent = options.persistent,
    cluster = options.cluster,
    constants = options.constants, rows = names, functions = functions, forms = forms,
    has = lift.has, map = lift.map,
    is_whole = whole.is_whole, call = inline.call, in_order = memory.in_order,
    declare = registers.declare, assign = registers.assign, kept = registers.kept,
    shared_bytes = 0, after_bytes = 0,
    places = {}, place_names = {}, stores = {}, accesses = {} }
  function w.place(ctx)
    if not (call.groups and plan(w, ctx)) then place.place(w, ctx) end
  end
  -- With a plan one block fills a multiprocessor: otherwise the compiler takes fewer registers than
  -- setmaxnreg needs to be known, and ignores it.
  function w.bounds()
    local bounds = ("__launch_bounds__(%d%s) "):format(w.threads, w.plan and ", 1" or "")
    local cluster = w.plan and w.plan.cluster
    return cluster and ("__cluster_dims__(%d) %s"):format(cluster.size, bounds) or bounds
  end
  function w.body(em, ctx, list)
    if w.plan then
      local body = pipeline_text.body(em, ctx, list)
      return head(w) .. body
    end
    em:block(ctx.body)
    local hoisted = em.hoisted and table.concat(em.hoisted, "\n") .. "\n" or ""
    if w.shared_bytes > call.most_shared then
      report.fail(ctx, ctx.fn, "the tiles need %d bytes of shared memory, and a program has %d: "
        .. "take smaller extents", w.shared_bytes, call.most_shared)
    end
    w.dynamic_bytes = w.shared_bytes
    for _, axis in ipairs{ "x", "y", "z" } do
      list[#list + 1] = "unsigned _count_" .. axis
    end
    return head(w) .. hoisted .. table.concat(em.lines, "\n")
  end
  -- What launches of the kernel need, once its text is written.
  function w.launch(ctx)
    local stored, p = {}, w.plan
    for k, slot in ipairs(ctx.parameters) do
      stored[k] = w.stores[slot] and w.stores[slot].shape or false
    end
    local c = p and p.cluster
    return core.tile_launch{ count = #ctx.parameters, threads = w.threads, shared = w.dynamic_bytes,
      persistent = p and p.persistent, stored = stored, maps = p and p.maps or {},
      cluster = { c and c.axis == "x" and c.size or 1, c and c.axis == "y" and c.size or 1 } }
  end
  -- The kernel reads or writes tiles of the array at this node of a function, or of one call of it.
  function w.note_access(ctx, array, node)
    w.accesses[ctx] = w.accesses[ctx] or {}
    w.accesses[ctx][node] = slots.origin_of(array)
  end
  -- Is the array accessed elsewhere in the kernel?
  function w.is_shared(array)
    local origin, count = slots.origin(slots.origin_of(array)), 0
    for _, list in pairs(w.accesses) do
      for _, one in pairs(list) do
        if slots.origin(one) == origin then count = count + 1 end
      end
    end
    return count > 1
  end
  -- The name of the place of a thread's first element along an axis.
  function w.place_of(em, l, axis)
    local text = layout.base(l, axis)
    if text == "0" then return "0" end
    if not w.place_names[text] then
      local name = em.unit:own_name "_p"
      w.place_names[text] = name
      w.places[#w.places + 1] = ("  const int %s = %s;"):format(name, text)
    end
    return w.place_names[text]
  end
  -- The kernel stores tiles of this shape in the array.
  function w.note_store(array, shape, ndim)
    while array.op == "row" do array = array.array end
    w.stores[array.slot] = { shape = shape, ndim = ndim }
  end
  return w
end

return { new = new }
