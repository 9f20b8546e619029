-- contraction.lua: sums of products over labelled axes, mapped to matmul, reductions and
-- elementwise products. einsum.lua and tensordot.lua use it.
--
-- A term is { array =, labels = }: a label for each axis, no label twice. Labels that two terms
-- share have equal extents. `work` is { what =, dtype =, stream =, order = {label -> position in
-- the result}, made = {arrays to free} }.

local lists = require "luacuda.base.lists"
local sums = require "luacuda.linalg.sums"

-- Arrays that only this call uses -----------------------------------------------------------------

-- Notes an array to be freed when the work is queued.
local function note(work, x)
  work.made[#work.made + 1] = x
  return x
end

-- Frees what the call made, except the result.
local function release(work, result)
  for _, x in ipairs(work.made) do
    if not rawequal(x, result) then x:free() end
  end
end

local function convert(work, x)
  return x.dtype == work.dtype and x
    or note(work, x:astype(work.dtype, { stream = work.stream }))
end

-- A view of this shape, or of a copy where none is possible.
local function reshape(work, x, shape)
  local ok, view = pcall(x.reshape, x, shape)
  return ok and view or note(work, x:copy { stream = work.stream }):reshape(shape)
end

-- Axes --------------------------------------------------------------------------------------------

local function position(labels, label)
  for i, one in ipairs(labels) do
    if one == label then return i end
  end
end

-- The array with its axes in the order of these labels, which are all of its own.
local function arranged(term, labels)
  local order, moved = {}, false
  for i, label in ipairs(labels) do
    order[i] = position(term.labels, label)
    moved = moved or order[i] ~= i
  end
  return moved and term.array:transpose(order) or term.array
end

local function joined(...)
  local list = {}
  for _, part in ipairs { ... } do table.move(part, 1, #part, #list + 1, list) end
  return list
end

local function extents(term, labels)
  local shape = {}
  for i, label in ipairs(labels) do shape[i] = term.array.shape[position(term.labels, label)] end
  return shape
end

-- In the order of the result; labels that it lacks follow in the order of the list.
local function sort_by_result(work, labels)
  local at = {}
  for i, label in ipairs(labels) do at[label] = work.order[label] or i + 1000 end
  table.sort(labels, function(a, b) return at[a] < at[b] end)
  return labels
end

-- One term ----------------------------------------------------------------------------------------

-- The term without the labels that are not in the set `needed`: their sum.
local function sum_out(work, term, needed)
  local axes, labels = {}, {}
  for i, label in ipairs(term.labels) do
    if needed[label] then labels[#labels + 1] = label else axes[#axes + 1] = i end
  end
  if #axes == 0 then return term end
  local sum = require("luacuda.array.reductions").sum
  return { labels = labels, array = note(work, sum(term.array,
    { axis = axes, dtype = work.dtype, stream = work.stream })) }
end

-- Two terms ---------------------------------------------------------------------------------------

-- Labels of both terms: shared and needed later, shared and summed, only in a, only in b.
local function classify(work, a, b, needed)
  local batch, summed, left, right = {}, {}, {}, {}
  for _, label in ipairs(a.labels) do
    local list = not position(b.labels, label) and left or needed[label] and batch or summed
    list[#list + 1] = label
  end
  for _, label in ipairs(b.labels) do
    if not position(a.labels, label) then right[#right + 1] = label end
  end
  return sort_by_result(work, batch), summed, sort_by_result(work, left),
    sort_by_result(work, right)
end

-- Every element of one with every element of the other, for equal batch labels.
local function outer_product(work, a, b, batch, left, right)
  local ones = {}
  for i = 1, #right do ones[i] = 1 end
  local x = arranged(a, joined(batch, left)):reshape(joined(extents(a, batch), extents(a, left),
    ones))
  ones = {}
  for i = 1, #left do ones[i] = 1 end
  local y = arranged(b, joined(batch, right)):reshape(joined(extents(b, batch), ones,
    extents(b, right)))
  local multiply = require("luacuda.array.operators").multiply
  return note(work, multiply(convert(work, x), convert(work, y), { stream = work.stream }))
end

-- Sums of products where no label is in one term only.
local function dot_product(work, a, b, batch, summed)
  local labels, axes = joined(batch, summed), {}
  for i = 1, #summed do axes[i] = #batch + i end
  return note(work, sums.sum_of_products(arranged(a, labels), arranged(b, labels), work.dtype,
    { axis = axes, stream = work.stream }))
end

local function matrix_product(work, a, b, batch, summed, left, right)
  local groups = extents(a, batch)
  local rows, columns, depth = extents(a, left), extents(b, right), extents(a, summed)
  local function size(list) return lists.product(list, 1, #list) end
  local x = arranged({ array = convert(work, a.array), labels = a.labels },
    joined(batch, left, summed))
  local y = arranged({ array = convert(work, b.array), labels = b.labels },
    joined(batch, summed, right))
  x = reshape(work, x, joined(groups, { size(rows), size(depth) }))
  y = reshape(work, y, joined(groups, { size(depth), size(columns) }))
  local matmul = require("luacuda.linalg.products").matmul
  local product = note(work, matmul(x, y, { stream = work.stream, backend = work.backend,
    tf32 = work.tf32 }))
  return product:reshape(joined(groups, rows, columns))
end

-- The term for the sum of products of two terms over the labels that they share and that are not in
-- the set `needed`.
local function pair(work, a, b, needed)
  local batch, summed, left, right = classify(work, a, b, needed)
  -- the result's first label that only one has decides which one comes first
  local first, other = work.order[left[1]], work.order[right[1]]
  if first and other and other < first then
    a, b, left, right = b, a, right, left
  end
  local array
  if #summed == 0 then array = outer_product(work, a, b, batch, left, right)
  elseif #left == 0 and #right == 0 then array = dot_product(work, a, b, batch, summed)
  else array = matrix_product(work, a, b, batch, summed, left, right) end
  return { array = array, labels = joined(batch, left, right) }
end

-- The result for the caller: axes in this order, in C order unless it is a view of an operand; the
-- value if it has no axes and is not requested as an array.
local function deliver(work, term, labels, out)
  local view = arranged(term, labels)
  if out then
    out:set(view, { stream = work.stream })
    release(work)
    return out
  end
  local result = view
  if #work.made > 0 and not view.is_contiguous then
    result = view:contiguous { stream = work.stream }
  end
  if result.dtype ~= work.dtype then
    result = result:astype(work.dtype, { stream = work.stream })
  end
  if result.ndim == 0 then
    local value = result:item()
    release(work)
    return value
  end
  release(work, result)
  return result
end

return { note = note, convert = convert, position = position, arranged = arranged,
  sum_out = sum_out, pair = pair, deliver = deliver }
