-- programs_text.lua: C++ for the numbers of the programs that a block of a plan (pipeline.lua) runs
-- one after the other.

local M = {}

-- Programs that run at about the same time share rows and columns of tiles: bands of 8. A block of
-- a cluster without a program repeats that of its neighbour, but for what it stores.
local NUMBERS = {
  "const unsigned _area = _sets_x * _sets_y, _band = 8 * _sets_y;",
  "const unsigned _in_area = _number % _area, _first = _in_area / _band * 8;",
  "const unsigned _rows = min(8u, _sets_x - _first);",
  "const unsigned _set_x = _first + _in_area % _band % _rows, _set_y = _in_area % _band / _rows;",
  "const int64 _program_x = X, _program_y = Y, _program_z = _number / _area;",
  "const int64 _programs_x = _count_x, _programs_y = _count_y, _programs_z = _count_z;",
  "(void)_program_x, (void)_program_y, (void)_program_z;",
  "(void)_programs_x, (void)_programs_y, (void)_programs_z;",
}

-- declare(em, p): how many sets of programs there are along x and y, which clusters run.
local function declare(em, p)
  for _, axis in ipairs{ "x", "y" } do
    local own = p.cluster and p.cluster.axis == axis and p.cluster.size
    em:line(("const unsigned _sets_%s = %s;"):format(axis,
      own and ("(_count_%s + %d) / %d"):format(axis, own - 1, own) or "_count_" .. axis))
  end
end

-- The number of a program along an axis.
local function number(p, axis)
  local c = p.cluster
  if not c or c.axis ~= axis then return "_set_" .. axis end
  return ("min(_set_%s * %d + _rank, _count_%s - 1)"):format(axis, c.size, axis)
end

-- each(em, p, write, in_turn): the programs of a block, each by write(); in_turn: those of a group
-- of warps
function M.each(em, p, write, in_turn)
  declare(em, p)
  local first, step = "blockIdx.x", "gridDim.x"
  if p.cluster then
    local size = p.cluster.size
    em:line(("const unsigned _rank = blockIdx.x %% %d;"):format(size))
    first, step = ("blockIdx.x / %d"):format(size), ("gridDim.x / %d"):format(size)
  end
  em:line "int _round = 0, _turn = 0;"
  em:open(("for (unsigned _number = %s%s; _number < _sets_x * _sets_y * _count_z; "
    .. "_number += %s%s) {"):format(first, in_turn and (" + _group * (%s)"):format(step) or "",
    in_turn and "2 * " or "", step:find "/" and "(" .. step .. ")" or step))
  for _, line in ipairs(NUMBERS) do
    em:line((line:gsub("%f[%w]([XY])%f[%W]", function(axis) return number(p, axis:lower()) end)))
  end
  write()
  em:line "_turn++;"
  em:close "}"
end

-- block(em, p, list): the statements of a program. A block of a cluster that repeats its
-- neighbour's program stores nothing: all stores are after the loop.
function M.block(em, p, list)
  local c = p.cluster
  if not c then return em:block(list) end
  local after = 1
  while list[after] ~= p.loop do after = after + 1 end
  em:block(table.move(list, 1, after, 1, {}))
  em:open(("if (_set_%s * %d + _rank < _count_%s) {"):format(c.axis, c.size, c.axis))
  em:block(table.move(list, after + 1, #list, 1, {}))
  em:close "}"
end

return M
