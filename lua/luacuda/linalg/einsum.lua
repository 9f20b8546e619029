-- einsum.lua: cuda.einsum: Einstein's summation convention with NumPy's subscripts. Terms are
-- contracted two at a time, the pair with the smallest result first.

local core = require "luacuda.core"
local arguments = require "luacuda.base.arguments"
local dtypes = require "luacuda.base.dtypes"
local operands = require "luacuda.base.operands"
local contraction = require "luacuda.linalg.contraction"

local function fail(text, ...) arguments.fail("einsum", text, ...) end

-- Subscripts --------------------------------------------------------------------------------------

-- "a...b" -> { "a", "b" }, and the number of letters before the dots, or nil without dots
local function letters_of(text)
  local before, after = text:match "^(%a*)%.%.%.(%a*)$"
  if not before and not text:find "^%a*$" then
    fail("argument 1 'subscripts': '%s' is not a list of letters with at most one '...'", text)
  end
  local list = {}
  for letter in ((before or text) .. (after or "")):gmatch "%a" do list[#list + 1] = letter end
  return list, before and #before
end

-- The inputs' texts, and the output's or nil.
local function split(subscripts)
  local text = subscripts:gsub("%s", "")
  local inputs, output = text, nil
  local at, past = text:find("->", 1, true)
  if at then inputs, output = text:sub(1, at - 1), text:sub(past + 1) end
  local list = {}
  for one in (inputs .. ","):gmatch "([^,]*)," do list[#list + 1] = one end
  return list, output
end

-- The labels of an array's axes: letters, and integers from the end for the axes of '...'.
local function labels_of(text, array, arg)
  local letters, dots = letters_of(text)
  local rest = array.ndim - #letters
  if rest < 0 or (rest > 0 and not dots) then
    fail("argument %d: '%s' does not fit an array of %d axes", arg, text, array.ndim)
  end
  local labels = {}
  for i = 1, dots or #letters do labels[i] = letters[i] end
  for i = rest, 1, -1 do labels[#labels + 1] = i end
  for i = (dots or #letters) + 1, #letters do labels[#labels + 1] = letters[i] end
  return labels
end

local function insert_dots(list, at, most)
  for i = 1, most do table.insert(list, at, i) end
  return list
end

-- Without '->': the axes of '...', then the letters that occur once, in order.
local function implicit_output(terms, most)
  local counts, letters = {}, {}
  for _, term in ipairs(terms) do
    for _, label in ipairs(term.labels) do counts[label] = (counts[label] or 0) + 1 end
  end
  for label, n in pairs(counts) do
    if type(label) == "string" and n == 1 then letters[#letters + 1] = label end
  end
  table.sort(letters)
  return insert_dots(letters, 1, most)
end

local function explicit_output(text, extents, most)
  local list, dots = letters_of(text)
  if most > 0 and not dots then
    fail("argument 1 'subscripts': the output '%s' lacks the '...' of the operands", text)
  end
  local seen = {}
  for _, letter in ipairs(list) do
    if not extents[letter] then
      fail("argument 1 'subscripts': '%s' of the output is in no operand", letter)
    end
    if seen[letter] then
      fail("argument 1 'subscripts': '%s' is twice in the output", letter)
    end
    seen[letter] = true
  end
  return dots and insert_dots(list, dots + 1, most) or list
end

-- Terms -------------------------------------------------------------------------------------------

-- The term in which no label repeats: equal labels select a diagonal, a view where possible.
local function diagonals(work, term)
  for i = #term.labels, 1, -1 do
    local label = term.labels[i]
    local first = contraction.position(term.labels, label)
    if first < i then
      local x, n = term.array, term.array.shape[i]
      if x.shape[first] ~= n then
        fail("'%s' names axes of %d and %d elements", label, x.shape[first], n)
      end
      local order, shape, labels, slices = {}, {}, {}, {}
      for k = 1, x.ndim do
        if k ~= i and k ~= first then
          order[#order + 1], shape[#shape + 1], labels[#labels + 1] = k, x.shape[k], term.labels[k]
          slices[#slices + 1] = {}
        end
      end
      order[#order + 1], order[#order + 2] = first, i
      shape[#shape + 1], labels[#labels + 1] = n * n, label
      slices[#slices + 1] = { 1, -1, n + 1 }
      local turned = x:transpose(order)
      local ok, flat = pcall(turned.reshape, turned, shape)
      if not ok then
        flat = contraction.note(work, turned:copy { stream = work.stream }):reshape(shape)
      end
      return diagonals(work, { labels = labels, array = flat:slice(table.unpack(slices)) })
    end
  end
  return term
end

-- The extent of each label; axes of one element take the extent of the others.
local function extents_of(terms)
  local extents = {}
  for _, term in ipairs(terms) do
    for i, label in ipairs(term.labels) do
      local n, known = term.array.shape[i], extents[label]
      if known and known ~= 1 and n ~= 1 and n ~= known then
        fail("operands with %s have %d and %d elements there",
          type(label) == "string" and "'" .. label .. "'" or "'...'", known, n)
      end
      if not known or known == 1 then extents[label] = n end
    end
  end
  return extents
end

-- Drops axes of one element that stand for more elements of other terms.
local function drop_ones(term, extents)
  local labels, slices = {}, {}
  for i, label in ipairs(term.labels) do
    local drop = term.array.shape[i] ~= extents[label]
    slices[i] = drop and 1 or {}
    if not drop then labels[#labels + 1] = label end
  end
  if #labels == #term.labels then return term end
  return { array = term.array:slice(table.unpack(slices)), labels = labels }
end

-- The labels of the result and of all terms but two.
local function needed_by(terms, output, i, j)
  local needed = {}
  for _, label in ipairs(output) do needed[label] = true end
  for k, term in ipairs(terms) do
    if k ~= i and k ~= j then
      for _, label in ipairs(term.labels) do needed[label] = true end
    end
  end
  return needed
end

-- How many more elements the product of two terms has than the terms.
local function growth(terms, i, j, needed, extents)
  local n, seen = 1.0, {}
  for _, term in ipairs { terms[i], terms[j] } do
    for _, label in ipairs(term.labels) do
      if needed[label] and not seen[label] then n = n * extents[label] end
      seen[label] = true
    end
  end
  return n - terms[i].array.size - terms[j].array.size
end

local function best_pair(terms, output, extents)
  local first, second, least
  for i = 1, #terms - 1 do
    for j = i + 1, #terms do
      local n = growth(terms, i, j, needed_by(terms, output, i, j), extents)
      if not least or n < least then first, second, least = i, j, n end
    end
  end
  return first, second
end

-- The one term that is left when all are contracted.
local function contract(work, terms, output, extents)
  for i, term in ipairs(terms) do
    terms[i] = contraction.sum_out(work, term, needed_by(terms, output, i))
  end
  while #terms > 1 do
    local i, j = best_pair(terms, output, extents)
    local product = contraction.pair(work, terms[i], terms[j], needed_by(terms, output, i, j))
    terms[i] = product
    table.remove(terms, j)
  end
  return contraction.sum_out(work, terms[1], needed_by({}, output))
end

-- einsum ------------------------------------------------------------------------------------------

local OPTIONS = { "out", "stream", "backend", "tf32" }

-- The arrays of a call, and its options.
local function operands_of(...)
  local list = table.pack(...)
  local last, options = list[list.n], nil
  if list.n > 0 and (last == nil or type(last) == "table") and core.foreign(last) == nil then
    options, list.n = last, list.n - 1
  end
  local device
  for i = 1, list.n do
    list[i] = arguments.array("einsum", i + 1, "operand " .. i, list[i])
    if type(list[i].dtype) ~= "string" then
      fail("argument %d: expected numbers, got %s", i + 1, tostring(list[i].dtype))
    end
    device = device or list[i].device
    if list[i].device ~= device then
      arguments.apart("einsum", "the first array is", device, ("array %d"):format(i),
        list[i].device)
    end
  end
  return list, arguments.options("einsum", options, OPTIONS)
end

-- The terms, the extents of their labels, and the labels of the result.
local function read(subscripts, arrays)
  local inputs, text = split(subscripts)
  if #inputs ~= arrays.n then
    fail("argument 1 'subscripts': they are for %d operands, there are %d", #inputs, arrays.n)
  end
  local terms, most = {}, 0
  for i, input in ipairs(inputs) do
    terms[i] = { array = arrays[i], labels = labels_of(input, arrays[i], i + 1) }
    for _, label in ipairs(terms[i].labels) do
      if type(label) == "number" then most = math.max(most, label) end
    end
  end
  local extents = extents_of(terms)
  local output = text and explicit_output(text, extents, most) or implicit_output(terms, most)
  return terms, extents, output
end

local function has_axes(x, n) return arguments.open_type(x) == "array" and x.ndim == n end

-- "bij,bjk->bik", "bij,jk->bik" and "ij,kj->ik" without further options are products as core.matmul
-- knows them: their result, or nil.
local function usual_product(subscripts, a, b, options, ...)
  local p, i, j, q, k, l, r, m, n =
    subscripts:match "^(%a*)(%a)(%a),(%a*)(%a)(%a)%->(%a*)(%a)(%a)$"
  if not p or p ~= r or (q ~= p and q ~= "") or i ~= m or select("#", ...) > 0 then return nil end
  local kind
  if j == l and k == n and p == "" then kind = "inner"
  elseif j ~= k or l ~= n then return nil end
  if (p .. i .. j .. n):find "(%a).*%1" then return nil end
  if not has_axes(a, #p + 2) or not has_axes(b, #q + 2) then return nil end
  return core.matmul(a, b, options, kind)
end

-- cuda.einsum(subscripts, ... [, options])
local function einsum(subscripts, ...)
  if type(subscripts) ~= "string" then
    fail("argument 1 'subscripts': expected a string, got %s", arguments.describe(subscripts))
  end
  local usual = usual_product(subscripts, ...)
  if usual then return usual end
  local arrays, opts = operands_of(...)
  if arrays.n == 0 then fail("argument 2: expected an Array, got nothing") end
  local terms, extents, output = read(subscripts, arrays)
  local dtype, shape, order = arrays[1].dtype, {}, {}
  for i = 2, arrays.n do dtype = dtypes.promote(dtype, arrays[i].dtype) end
  for i, label in ipairs(output) do shape[i], order[label] = extents[label], i end
  local work = { what = "einsum", dtype = dtype, stream = opts.stream, backend = opts.backend,
    tf32 = opts.tf32, order = order, made = {} }
  local out = opts.out ~= nil
    and operands.result("einsum", opts, shape, dtype, arrays[1]) or nil
  for i, term in ipairs(terms) do terms[i] = drop_ones(diagonals(work, term), extents) end
  return contraction.deliver(work, contract(work, terms, output, extents), output, out)
end

return { einsum = einsum }
