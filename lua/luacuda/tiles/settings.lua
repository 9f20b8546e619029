-- settings.lua: what one kernel over tiles has besides its unit (jit/unit.lua): unit.of_tiles.

local layout = require "luacuda.tiles.layout"
local lift = require "luacuda.tiles.lift"
local names = require "luacuda.tiles.names"
local place = require "luacuda.tiles.place"
local registers = require "luacuda.tiles.registers_text"
local memory = require "luacuda.tiles.memory_text"
local reductions = require "luacuda.tiles.reduction_text"
local slots = require "luacuda.jit.typed.slots"
local lists = require "luacuda.base.lists"
require "luacuda.tiles.product_text"

local forms = {}
lists.unite(forms, memory.forms, "forms of tiles")
lists.unite(forms, reductions.forms, "forms of tiles")

-- head(w, em) -> the declarations at the start of the kernel
local function head(w)
  local lines = {
    "  const int _lane = threadIdx.x % 32, _warp = threadIdx.x / 32;",
    ("  __shared__ alignas(128) unsigned char _shared[%d];"):format(math.max(w.shared_bytes, 16)),
    "  (void)_lane, (void)_warp, (void)_shared;",
  }
  for _, line in ipairs(w.places) do lines[#lines + 1] = line end
  return table.concat(lines, "\n") .. "\n"
end

-- new{ warps =, tensor_cores =, constants = } -> unit.of_tiles
local function new(options)
  local w = { warps = options.warps, tensor_cores = options.tensor_cores,
    constants = options.constants, rows = names, forms = forms, has = lift.has, map = lift.map,
    declare = registers.declare, assign = registers.assign, kept = registers.kept,
    shared_bytes = 0, places = {}, place_names = {}, stores = {}, accesses = {} }
  function w.place(ctx) place.place(w, ctx) end
  function w.head(em) return head(w, em) end
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
  -- The kernel reads or writes tiles of the array here.
  function w.note_access(array)
    w.accesses[#w.accesses + 1] = slots.origin_of(array)
  end
  -- Is the array accessed elsewhere in the kernel?
  function w.is_shared(array)
    local origin, count = slots.origin(slots.origin_of(array)), 0
    for _, one in ipairs(w.accesses) do
      if slots.origin(one) == origin then count = count + 1 end
    end
    return count > 1
  end
  -- The kernel stores tiles of this shape in the array.
  function w.note_store(array, shape, ndim)
    while array.op == "row" do array = array.array end
    w.stores[array.slot] = { shape = shape, ndim = ndim }
  end
  return w
end

return { new = new }
