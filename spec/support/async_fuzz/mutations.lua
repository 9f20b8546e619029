-- Mutations of the synchronisation of a kernel's source: M.mutate(text, rng) returns another source
-- and what was changed, or nil. rng(n) is a number from 0 to n - 1.
local statements = require "spec.support.async_fuzz.statements"

local M = {}

-- Helpers of hopper.h whose calls may be dropped and doubled, and those that move data, which may
-- only be moved.
local SYNC = {}
for name in ([[init init_fence arrive expect wait wait_cluster sync pass cluster_sync arrive_at
    proxy_fence commit stored sources_read mma_fence mma_commit mma_wait pin load load_to
    __syncthreads __syncwarp __threadfence release few_registers many_registers]]):gmatch "%S+" do
  SYNC[name] = true
end
local MOVED = { store = true, bulk_store = true, bulk_add = true, write_sums = true, fill = true,
  write_boxes = true, write_floats = true, load_boxes = true, arrive = true }

local function pick(rng, list) return list[rng(#list) + 1] end

-- The name of the helper that a plain statement calls.
local function called(s)
  if s.head then return nil end
  return s.text:match "^([%w_]+)%s*<[^;()]*>%s*%(" or s.text:match "^([%w_]+)%s*%("
end

local function is_sync(s) return SYNC[called(s)] end

local function has_sync(s)
  for name in s.text:gmatch "([%w_]+)%s*[<(]" do
    if SYNC[name] or MOVED[name] then return true end
  end
  return false
end

-- Whether it writes the result, which may then lack.
local function writes(s) return s.text:find "%f[%w_]store%(" or s.text:find "write_sums" end

local function replace(text, from, to, by)
  return text:sub(1, from - 1) .. by .. text:sub(to + 1)
end

local function statement(rng, all, fits)
  local list = {}
  for _, s in ipairs(all) do
    if fits(s) then list[#list + 1] = s end
  end
  return #list > 0 and pick(rng, list) or nil
end

-- ---- whole statements

local function drop(text, all, rng)
  local s = statement(rng, all, is_sync)
  return s and replace(text, s.from, s.to, ";")
end

local function double(text, all, rng)
  local s = statement(rng, all, is_sync)
  return s and replace(text, s.from, s.to, "{ " .. s.text .. " " .. s.text .. " }")
end

-- `float a = ...`: computes something of what came before.
local function computes(s) return s.text:find "^float " and not is_sync(s) end

local function swap(text, all, rng)
  local s = statement(rng, all, function(a)
    local b = a.list[a.at + 1]
    return b and not computes(a) and not computes(b) and (has_sync(a) or has_sync(b))
      and not (writes(a) and not is_sync(b))
      and not (writes(b) and not is_sync(a))
  end)
  if not s then return nil end
  local b = s.list[s.at + 1]
  return replace(text, s.from, b.to, b.text .. text:sub(s.to + 1, b.from - 1) .. s.text)
end

-- Two calls of helpers that may lie apart.
local function exchange(text, all, rng)
  local calls = {}
  for _, s in ipairs(all) do
    if is_sync(s) then calls[#calls + 1] = s end
  end
  if #calls < 2 then return nil end
  local k = rng(#calls - 1) + 1
  local a, b = calls[k], calls[k + 1]
  return replace(replace(text, b.from, b.to, a.text), a.from, a.to, b.text)
end

-- Out of its block, before or after.
local function move_out(text, all, rng)
  local s = statement(rng, all, function(a) return is_sync(a) and a.up and a.up.head end)
  if not s then return nil end
  local without = replace(text, s.from, s.to, ";" .. (" "):rep(s.to - s.from))
  if rng(2) == 0 then return replace(without, s.up.to + 1, s.up.to, s.text) end
  return replace(without, s.up.from, s.up.from - 1, "{} " .. s.text .. " ")
end

-- To another place of its block.
local function move(text, all, rng)
  local s = statement(rng, all, function(a) return is_sync(a) and #a.list > 2 end)
  if not s then return nil end
  local other = pick(rng, s.list)
  if other == s then return nil end
  local blank = ";" .. (" "):rep(s.to - s.from)
  if other.from > s.from then
    return replace(replace(text, other.to + 1, other.to, " " .. s.text), s.from, s.to, blank)
  end
  return replace(replace(text, s.from, s.to, blank), other.from, other.from - 1, s.text .. " ")
end

-- ---- conditions

local ONLY = { "threadIdx.x % 128 == 0", "threadIdx.x == 0", "threadIdx.x % 32 == 0",
  "threadIdx.x % 128 < 64", "threadIdx.x >= 128", "threadIdx.x < 256", "blockIdx.x == 0" }
local IN_LOOP = { "step != 1", "step > 0", "step + 1 < steps", "step % 2 == 0", "step < 2" }

local function restrict(text, all, rng)
  local s = statement(rng, all, is_sync)
  if not s then return nil end
  local in_loop = s.up and s.up.keyword == "for" and s.up.text:find "^for %(int step"
  local list = in_loop and rng(2) == 0 and IN_LOOP or ONLY
  return replace(text, s.from, s.to, "if (" .. pick(rng, list) .. ") " .. s.text)
end

-- Chooses between two operations on data.
local function chooses(s) return s.text:find "%f[%w]else%f[%W]" end

local function widen(text, all, rng)
  local s = statement(rng, all, function(a)
    return a.keyword == "if" and has_sync(a) and not writes(a) and not chooses(a)
  end)
  return s and replace(text, s.head[1], s.head[2], pick(rng, { "true", "threadIdx.x % 32 == 0",
    "threadIdx.x % 128 == 0", "threadIdx.x == 128", "threadIdx.x < 32" }))
end

-- The number of a condition, not where a loop over data starts.
local function change_head(text, all, rng)
  local s = statement(rng, all, function(a)
    local head = a.head and text:sub(a.head[1], a.head[2])
    return head and has_sync(a) and not writes(a) and not chooses(a) and head:find "%d"
      and (a.keyword == "if" or head:find "STAGES" and not head:find "steps")
  end)
  if not s then return nil end
  local numbers = {}
  for from, to in text:sub(s.head[1], s.head[2]):gmatch "%f[%w_]()%d+()" do
    numbers[#numbers + 1] = { s.head[1] + from - 1, s.head[1] + to - 2 }
  end
  if #numbers == 0 then return nil end
  local place = pick(rng, numbers)
  local n = tonumber(text:sub(place[1], place[2]))
  return replace(text, place[1], place[2], tostring(pick(rng, { n + 1, math.max(n - 1, 0) })))
end

-- ---- arguments

-- The places { from, to } of the arguments of a call, template arguments first.
local function arguments(s)
  local list, text = {}, s.text
  local from, to = text:match "^[%w_]+%s*<()[^;()]*()>"
  if from then list[1] = { from, to - 1 } end
  local open = text:find("(", 1, true)
  local close = select(2, text:find("^%b()", open))
  local at, depth = open + 1, 0
  for k = open + 1, close do
    local c = text:sub(k, k)
    if c == "(" then depth = depth + 1 end
    if k == close or (c == "," and depth == 0) then
      if k > at then list[#list + 1] = { at, k - 1 } end
      at = k + 1
    elseif c == ")" then depth = depth - 1 end
  end
  return list
end

local function other_number(rng, n)
  return tostring(pick(rng, { n + 1, math.max(n - 1, 0), n ~ 1, 0, n * 2, n // 2, n + 2 }))
end

local FORMS = { "(%s) ^ 1", "(%s) + 1", "(%s) - 1", "(%s) * 2", "(%s) / 2", "(%s) + 16",
  "(%s) - 16", "0", "1" }

local function other_object(rng, text)
  local list = {}
  for _, pair in ipairs { { "full", "empty" }, { "k_full", "v_full" }, { "k_empty", "v_empty" },
    { "q_full", "k_full[0]" } } do
    for a = 1, 2 do
      local changed, n = text:gsub("%f[%w_]" .. pair[a] .. "%f[^%w_]", pair[3 - a])
      if n > 0 then list[#list + 1] = changed end
    end
  end
  for _, change in ipairs { { "%% STAGES", "%% (STAGES - 1)" }, { "%+ i$", "+ (i + 1) %% STAGES" },
    { "%+ .*$", "" }, { "step", "(step + 1)" }, { "%- 1%)", ")" } } do
    local changed, n = text:gsub(change[1], change[2])
    if n > 0 then list[#list + 1] = changed end
  end
  return #list > 0 and pick(rng, list) or nil
end

local DATA_ARGUMENTS = { load = true, load_to = true, release = true, pin = true }

local function change_argument(text, all, rng)
  local s = statement(rng, all, function(a)
    return is_sync(a) and not DATA_ARGUMENTS[called(a)] and #arguments(a) > 0
  end)
  if not s then return nil end
  local place = pick(rng, arguments(s))
  local from, to = s.from + place[1] - 1, s.from + place[2] - 1
  local old = text:sub(from, to):match "^%s*(.*)$"
  local n = math.tointeger(tonumber(old))
  if n then return replace(text, from, to, other_number(rng, n)) end
  local object = other_object(rng, old)
  if object and rng(3) > 0 then return replace(text, from, to, " " .. object) end
  return replace(text, from, to, " " .. pick(rng, FORMS):format(old))
end

-- The barrier object of a copy.
local function change_copy(text, all, rng)
  local s = statement(rng, all, function(a)
    return called(a) == "load" or called(a) == "load_to"
  end)
  if not s then return nil end
  local place = arguments(s)[5]
  local from, to = s.from + place[1] - 1, s.from + place[2] - 1
  local object = other_object(rng, text:sub(from, to))
  return object and replace(text, from, to, object)
end

-- Whole rings.
local RINGS = { { "/ STAGES", "/ (STAGES + 1)" }, { "/ STAGES", "/ (STAGES - 1)" },
  { "%% STAGES", "%% (STAGES - 1)" }, { "%% STAGES", "%% (STAGES + 1)" },
  { "i < STAGES", "i < STAGES - 1" },
  { "%^ 1%f[^%w]", "" }, { "& 1 %^ 1", "& 1" }, { "step %- 1", "step" }, { "used %- 1", "used" },
  { "+ STAGES", "+ STAGES - 1" }, { "+ STAGES", "+ STAGES + 1" }, { "STAGES = 2", "STAGES = 1" } }

local function change_ring(text, _, rng)
  local ring = pick(rng, RINGS)
  local places = {}
  local at = 1
  while true do
    local from, to = text:find(ring[1], at)
    if not from then break end
    places[#places + 1] = { from, to }
    at = to + 1
  end
  if #places == 0 then return nil end
  local new = ring[2]:gsub("%%%%", "%%")
  if rng(3) == 0 then return (text:gsub(ring[1], ring[2])) end
  local place = pick(rng, places)
  return replace(text, place[1], place[2], new)
end

local KINDS = { { "drop", drop }, { "drop", drop }, { "double", double }, { "swap", swap },
  { "swap", swap }, { "exchange", exchange }, { "move out", move_out }, { "move", move },
  { "restrict", restrict }, { "widen", widen }, { "head", change_head },
  { "argument", change_argument }, { "argument", change_argument },
  { "argument", change_argument }, { "copy", change_copy }, { "ring", change_ring } }

local function once(text, rng)
  for _ = 1, 20 do
    local kind = pick(rng, KINDS)
    local plain = statements.without_comments(text)
    local ok, changed = pcall(kind[2], plain, statements.read(plain), rng)
    if not ok then error(kind[1] .. ": " .. tostring(changed), 0) end
    if changed and changed ~= plain then return changed, kind[1] end
  end
  return text, "nothing"
end

-- One or two mutations.
function M.mutate(text, rng)
  local changed, kind = once(text, rng)
  if rng(3) > 0 then return changed, kind end
  local again, other = once(changed, rng)
  return again, kind .. ", " .. other
end

return M
