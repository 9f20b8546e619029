-- transformer.lua: a causal transformer learns a sentence by heart. Its products, attention, norms,
-- loss and updates are kernels over tiles, forward and backward.
--   Arguments: [STEPS]
local cuda = require "luacuda"

local text = "the first tile has the rows, the second tile has the columns, and the third tile "
  .. "has the sums of the rows times the columns. "
local letters = " ,.acdefhilmnorstuw"
local T, D, HEADS, HIDDEN, BLOCKS, V = 32, 32, 2, 64, 2, #letters   -- T letters are one sequence
local BATCH, RATE, STEPS = 16, 0.01, math.tointeger(tonumber((...) or 150))
local M, N, K, E, scale = 32, 32, 32, D // HEADS, (D // HEADS) ^ -0.5

-- A product; `finish` stores a tile of it.
local function product(finish)
  return cuda.tiled(function(c, a, b, other)
    local i, j = program(1), program(2)
    local total = zeros("float32", M, N)
    for k = 1, tiles(a, 2, K) do
      total = dot(load(a, { i, k }, { M, K }), load(b, { k, j }, { K, N }), total)
    end
    finish(c, other, i, j, total)
  end)
end

local function sigmoid(x) return 1 / (1 + cuda.exp(-x)) end
local function silu(x) return x * sigmoid(x) end
local function slope(x) return sigmoid(x) * (1 + x * (1 - sigmoid(x))) end

local plain = product(function(c, _, i, j, total) store(c, { i, j }, total) end)
local added = product(function(c, other, i, j, total)
  store(c, { i, j }, total + load(other, { i, j }, { M, N }))
end)
local activated = product(function(c, before, i, j, total)
  store(before, { i, j }, total)
  store(c, { i, j }, silu(total))
end)
local sloped = product(function(c, before, i, j, total)
  store(c, { i, j }, total * slope(float32(load(before, { i, j }, { M, N }))))
end)

-- Rows with a mean square of 1.
local function factor(rows) return 1 / math.sqrt(sum(rows * rows, 2) / D + 1e-5) end

local normalize = cuda.tiled(function(y, x)
  local rows = load(x, { program(), 1 }, { M, D })
  store(y, { program(), 1 }, rows * factor(rows))
end)
local normalize_backward = cuda.tiled(function(gx, x, gy, rest)
  local i = program()
  local rows, g = load(x, { i, 1 }, { M, D }), float32(load(gy, { i, 1 }, { M, D }))
  local y = rows * factor(rows)
  g = (g - y * sum(y * g, 2) / D) * factor(rows)
  store(gx, { i, 1 }, g + load(rest, { i, 1 }, { M, D }))
end)

-- Attention of one head in one sequence. Parts 1, 2 and 3 of qkv are queries, keys and values.
local function head(x, part) return load(x, { part, program(1), program(2), 1, 1 }, { T, E }) end
local function weights_of(q, k)
  local s = where(iota(T) <= transpose(iota(T)), dot(q, transpose(k)) * scale, -math.huge)
  local e = math.exp(s - max(s, 2))
  return e / sum(e, 2)
end

local attention = cuda.tiled(function(o, qkv)
  local p = weights_of(head(qkv, 1), head(qkv, 2))
  store(o, { 1, program(1), program(2), 1, 1 }, dot(float16(p), head(qkv, 3)))
end)
local attention_backward = cuda.tiled(function(gqkv, qkv, go)
  local b, h = program(1), program(2)
  local q, k, g = head(qkv, 1), head(qkv, 2), head(go, 1)
  local p = weights_of(q, k)
  local gp = dot(g, transpose(head(qkv, 3)))
  local gs = float16(p * (gp - sum(p * gp, 2)) * scale)
  store(gqkv, { 1, b, h, 1, 1 }, dot(gs, k))
  store(gqkv, { 2, b, h, 1, 1 }, dot(transpose(gs), q))
  store(gqkv, { 3, b, h, 1, 1 }, dot(transpose(float16(p)), g))
end)

-- The loss of each row, and the gradient of the sum of all losses.
local cross_entropy = cuda.tiled(function(loss, g, logits, targets)
  local i = program()
  local row = load(logits, { i, 1 }, { M, 32 }, -math.huge)
  local own = iota(32) == transpose(load(targets, { i }, { M }))
  local top = max(row, 2)
  local e = math.exp(row - top)
  store(loss, { i }, top + math.log(sum(e, 2)) - sum(where(own, row, 0), 2))
  store(g, { i, 1 }, e / sum(e, 2) - where(own, float32(1), 0))
end)

local adam = cuda.tiled(function(w, half, m, v, g, rate)
  local i = program()
  local function part(x) return load(x, { i }, { 512 }) end
  local first, second = 0.9 * part(m) + 0.1 * part(g), 0.99 * part(v) + 0.01 * part(g) * part(g)
  local new = part(w) - rate * first / (math.sqrt(second) + 1e-8)
  store(m, { i }, first)
  store(v, { i }, second)
  store(w, { i }, new)
  store(half, { i }, new)
end)

-- All weights lie in one array. Returns views of it by name, and how many elements they have.
local shapes = { { "letter", 1, V, D }, { "place", 1, T, D }, { "qkv", BLOCKS, D, 3 * D },
  { "mix", BLOCKS, D, D }, { "up", BLOCKS, D, HIDDEN }, { "down", BLOCKS, HIDDEN, D },
  { "out", 1, D, V } }
local function views(all)
  local w, used = {}, 0
  for _, s in ipairs(shapes) do
    local size = s[2] * s[3] * s[4]
    w[s[1]] = all:slice{ used + 1, used + size }:reshape(s[2], s[3], s[4])
    used = used + size
  end
  return w, used
end

local function made(kernel, shape, dtype, ...)
  local y = cuda.empty(shape, dtype)
  kernel({ tiles = y }, y, ...)
  return y
end
local function multiply(a, b, dtype, kernel, other)
  return made(kernel or plain, { #a, b.shape[2] }, dtype, a, b, other or a)
end
local function norm(x) return made(normalize, x.shape, "float16", x) end
-- Rows of letters as { part, sequence, head, letter, element }, without a copy.
local function heads(x)
  return x:reshape(#x // T, T, x.shape[2] // D, HEADS, E):transpose(3, 1, 4, 2, 5)
end

-- Returns the logits, and what the gradients need.
local function forward(w, ids)
  local x = (w.letter[1]:take(ids, { axis = 1 }) + w.place):reshape(ids.size, D):astype "float32"
  local kept = {}
  for b = 1, BLOCKS do
    local s = { x = x, n1 = norm(x), mixed = cuda.empty(x.shape, "float16"),
      before = cuda.empty({ #x, HIDDEN }, "float16") }
    s.qkv = multiply(s.n1, w.qkv[b], "float16")
    attention({ programs = { #ids, HEADS } }, heads(s.mixed), heads(s.qkv))
    s.middle = multiply(s.mixed, w.mix[b], "float32", added, x)
    s.n2 = norm(s.middle)
    s.hidden = multiply(s.n2, w.up[b], "float16", activated, s.before)
    x = multiply(s.hidden, w.down[b], "float32", added, s.middle)
    kept[b] = s
  end
  kept.x, kept.n = x, norm(x)
  return multiply(kept.n, w.out[1], "float32"), kept
end

local function backward(g, w, ids, kept, glogits)
  -- Stores the gradient of weights, and returns that of the rows x with which they are multiplied.
  local function multiplied(weights, b, x, gy, kernel, other)
    local gw = g[weights][b]
    plain({ tiles = gw }, gw, x:transpose(), gy, x)
    return multiply(gy, w[weights][b]:transpose(), "float16", kernel, other)
  end
  local function normed(x, gy, rest)
    return made(normalize_backward, x.shape, "float16", x, gy, rest)
  end
  local gx = normed(kept.x, multiplied("out", 1, kept.n, glogits), cuda.zeros_like(kept.x))
  for b = BLOCKS, 1, -1 do
    local s, gqkv = kept[b], cuda.empty(kept[b].qkv.shape, "float16")
    local gbefore = multiplied("down", b, s.hidden, gx, sloped, s.before)
    local gmiddle = normed(s.middle, multiplied("up", b, s.n2, gbefore), gx)
    local gmixed = multiplied("mix", b, s.mixed, gmiddle)
    attention_backward({ programs = { #ids, HEADS } }, heads(gqkv), heads(s.qkv), heads(gmixed))
    gx = normed(s.x, multiplied("qkv", b, s.n1, gqkv), gmiddle)
  end
  gx = gx:astype "float32"
  g.place:set(gx:reshape(#ids, T, D):sum{ axis = 1, keepdims = true })
  g.letter:fill(0)
  g.letter[1]:scatter_add(ids:reshape(ids.size), gx, { axis = 1 })
end

-- Returns the mean loss, and stores the gradients of the sum of all losses.
local function gradients(g, w, ids, targets)
  local logits, kept = forward(w, ids)
  local loss, glogits = cuda.empty(#logits), cuda.empty(logits.shape, "float16")
  cross_entropy({ tiles = loss }, loss, glogits, logits, targets:reshape(#logits))
  backward(g, w, ids, kept, glogits)
  return loss:mean()
end

-- The sum of losses by functions of arrays, for weights of float64.
local function exact_loss(w, ids, targets)
  local function rms(x) return x / cuda.sqrt((x * x):mean{ axis = 3, keepdims = true } + 1e-5) end
  local x = w.letter[1]:take(ids, { axis = 1 }) + w.place
  for b = 1, BLOCKS do
    local qkv = heads(cuda.matmul(rms(x), w.qkv[b]):reshape(ids.size, 3 * D))
    local s = cuda.matmul(qkv[1], qkv[2]:transpose(1, 2, 4, 3)) * scale
    s = cuda.where(cuda.tril(cuda.ones{ T, T }):gt(0), s, -math.huge)
    local mixed = cuda.matmul(cuda.softmax(s, { axis = 4 }), qkv[3]):transpose(1, 3, 2, 4)
    x = x + cuda.matmul(mixed:contiguous():reshape(x.shape), w.mix[b])
    x = x + cuda.matmul(silu(cuda.matmul(rms(x), w.up[b])), w.down[b])
  end
  local logits = cuda.matmul(rms(x), w.out[1])
  local own = targets:reshape(#ids, T, 1):eq(cuda.arange(1, V + 1))
  return cuda.logsumexp(logits, { axis = 3 }):sum() - cuda.where(own, logits, 0):sum()
end

local random = cuda.random.generator(1)
local size = select(2, views(cuda.empty(1 << 20)))
local weights, gradient = random:normal(size) * 0.1, cuda.zeros(size)
local half = weights:astype "float16"
local w, g = views(half), views(gradient)

local function numbers(s)
  local list = {}
  for c in s:gmatch "." do list[#list + 1] = letters:find(c, 1, true) end
  return list
end

-- Some pieces of the endless text: T letters each, and the letters after these.
local pieces = {}
for i = 1, #text do pieces[i] = numbers((text .. text):sub(i, i + T)) end
pieces = cuda.array(pieces, "int32")
local function batch(count)
  local some = pieces:take(random:integers(1, #text, count), { axis = 1 })
  return some:slice({}, { 1, T }):contiguous(), some:slice({}, { 2, T + 1 }):contiguous()
end

-- Compares the slope of the loss along random directions with differences of the exact loss.
local worst, ids, targets = 0, batch(2)
gradients(g, w, ids, targets)
for _, s in ipairs(shapes) do
  local direction = cuda.zeros(size, "float64")
  local part = views(direction)[s[1]]
  part:set(random:normal(part.shape))
  local function moved(by) return exact_loss(views(half + direction * by), ids, targets) end
  local e = (direction * gradient):sum() - (moved(1e-4) - moved(-1e-4)) / 2e-4
  worst = math.max(worst, math.abs(e) / cuda.norm(cuda.ravel(g[s[1]])))
end
print(("gradients: largest error %.5f of their length"):format(worst))

local losses, m, v = {}, cuda.zeros(size), cuda.zeros(size)
for step = 1, STEPS do
  losses[step] = gradients(g, w, batch(BATCH))
  adam({ tiles = weights }, weights, half, m, v, gradient, RATE * (1 - step / STEPS))
  if step % 25 == 0 then print(("step %3d: loss %.3f"):format(step, losses[step])) end
end

local written = text:sub(1, T)
for _ = 1, #text do
  local logits = forward(w, cuda.array({ numbers(written:sub(-T)) }, "int32"))
  local best = logits[-1]:argmax()
  written = written .. letters:sub(best, best)
end
print(written)

return worst, losses, written, text
