-- Products of matrices by four warps: wgmma.mma_async with every type, from registers and from
-- shared memory in every layout that a matrix descriptor can name (9.7.15.5), against sums in Lua.
local cuda = require "luacuda"
local helper = require "spec.helper"
local sparsity = require "spec.support.sparse"
local tensor = require "spec.support.tensor"

local THREADS, B_AT, SHARED = 128, 16384, 49152

-- d, a, b; n; where a is ("regs" or its layout) and the layout of b; what else is said.
-- A layout: how the elements lie, "k" or "mn" first, and the swizzle: 0, 32, 64 or 128 bytes.
local FORMS = {
  { "f32", "f16", "f16", 8, "k0", "k0" },
  { "f32", "f16", "f16", 64, "k128", "k128" },
  { "f32", "f16", "f16", 256, "k64", "k32", scale = { 0 } },
  { "f16", "f16", "f16", 40, "mn0", "mn0", signs = { -1, 1 } },
  { "f16", "f16", "f16", 24, "regs", "mn128", signs = { -1, -1 } },
  { "f16", "f16", "f16", 88, "mn32", "mn64" },
  { "f32", "bf16", "bf16", 136, "mn64", "mn128", scale = { 1 } },
  { "f32", "bf16", "bf16", 16, "mn128", "mn32", signs = { 1, -1 } },
  { "f32", "bf16", "bf16", 48, "regs", "k64" },
  { "f32", "tf32", "tf32", 32, "k32", "k64", signs = { -1, 1 } },
  { "f32", "tf32", "tf32", 8, "regs", "k0" },
  { "f32", "e4m3", "e5m2", 24, "k128", "k0", signs = { 1, -1 } },
  { "f16", "e5m2", "e4m3", 16, "regs", "k32" },
  { "s32", "s8", "u8", 48, "k32", "k128" },
  { "s32", "u8", "s8", 24, "regs", "k64", satfinite = true },
  { "s32", "s8", "s8", 96, "k0", "k32", satfinite = true, scale = { 1 } },
  { "s32", "b1", "b1", 16, "k64", "k0" },
  { "s32", "b1", "b1", 8, "regs", "k128" },
  { "f32", "f16", "f16", 16, "k128", "k128", sparse = 0 },
  { "f16", "f16", "f16", 8, "regs", "mn64", sparse = 1 },
  { "f32", "bf16", "bf16", 24, "mn128", "k64", sparse = 1, signs = { -1, 1 } },
  { "f32", "tf32", "tf32", 8, "k0", "k128", sparse = 1 },
  { "s32", "u8", "s8", 32, "k64", "k0", sparse = 0, satfinite = true },
  { "f32", "e5m2", "e5m2", 16, "regs", "k64", sparse = 0 },
}

-- The same, where the swizzle of a begins `base` units of 128 bytes behind its alignment.
local SHIFTED = {
  { "f32", "f16", "f16", 16, "k128", "k64", base = 3 },
  { "f32", "bf16", "bf16", 8, "mn128", "k0", base = 6 },
  { "s32", "s8", "s8", 8, "k64", "k0", base = 1 },
}

-- ---- layouts of matrices in shared memory, as CUTLASS writes them

-- stride, leading: bytes. They are larger than needed where nothing asks for less.
local LAYOUTS = {
  k0 = { width = 16, stride = 528, leading = 128 },
  k32 = { width = 32, stride = 256, code = 3 }, k64 = { width = 64, stride = 512, code = 2 },
  k128 = { width = 128, stride = 1024, code = 1 },
  mn0 = { width = 16, stride = 528, leading = 128 },
  mn32 = { width = 32, stride = 256, leading = 1024, code = 3 },
  mn64 = { width = 64, stride = 512, leading = 2048, code = 2 },
  mn128 = { width = 128, stride = 1024, leading = 4096, code = 1 },
}

-- The bit at which element k of row `row` (m, or n) starts.
local function place(name, bits, row, k)
  local l = LAYOUTS[name]
  local at
  if name:find "^k" then
    local byte = k * bits // 8
    at = row % 8 * l.width + row // 8 * l.stride + byte % l.width
      + byte // l.width * (l.leading or 0)
  elseif name == "mn0" then
    at = row % 8 * 2 + row // 8 * l.stride + k % 8 * 16 + k // 8 * l.leading
  else
    local across = l.width // 2
    at = row % across * 2 + row // across * l.leading + k % 8 * l.width + k // 8 * l.stride
  end
  at = at ~ (at >> 7 & l.width // 16 - 1) << 4
  return at * 8 + k * bits % 8
end

-- The words of a matrix m[row][k].
local function image(name, bits, m)
  local words, most = tensor.words(4096), 0
  for row = 0, #m - 1 do
    for k = 0, #m[1] - 1 do
      local at = place(name, bits, row, k)
      for i = #words + 1, at // 32 + 1 do words[i] = 0 end
      tensor.put(words, bits, at // bits, m[row + 1][k + 1])
      most = math.max(most, at // 32 + 1)
    end
  end
  return words, (most + 3) // 4 * 4
end

local function descriptor(name)
  local l = LAYOUTS[name]
  return (l.code or 0) << 62 | l.stride // 16 << 32 | (l.leading or 16) // 16 << 16
end

-- ---- kernels

local KERNEL = [[
.visible .entry %s (.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pm,
    .param .u64 da, .param .u64 db, .param .u32 na, .param .u32 nb, .param .u32 scale) {
  .shared .align 1024 .b8 sm[%d];
  .reg .b64 from, a, b, c, m, at;
  .reg .b32 t, i, n, x, to, meta, a0, a1, a2, a3, d<%d>;
  .reg .pred p;
  mov.u32 t, %%tid.x;
%s
  fence.proxy.async;
  bar.sync 0;
  ld.param.u64 c, [pc];
  mad.wide.u32 c, t, %d, c;
%s
  ld.param.u64 m, [pm];
  mad.wide.u32 m, t, 4, m;
  ld.global.b32 meta, [m];
  mov.u32 x, sm;
  add.u32 i, x, %d;
  shr.u32 i, i, 4;
  cvt.u64.u32 at, i;
  ld.param.u64 a, [da];
  or.b64 a, a, at;
  add.u32 i, x, %d;
  shr.u32 i, i, 4;
  cvt.u64.u32 at, i;
  ld.param.u64 b, [db];
  or.b64 b, b, at;
%s
  ld.param.u32 i, [scale];
  setp.ne.u32 p, i, 0;
  wgmma.fence.sync.aligned;
  %s {%s}, %s, b, %sp%s;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
%s
  ret;
}
]]

-- Words from memory to shared memory, by all threads.
local COPY = [[
  ld.param.u64 from, [%s];
  ld.param.u32 n, [%s];
  mov.b32 i, t;
%s:
  setp.ge.u32 p, i, n;
  @p bra %s_END;
  mad.wide.u32 at, i, 4, from;
  ld.global.b32 x, [at];
  mov.u32 to, sm;
  mad.lo.u32 to, i, 4, to;
  st.shared.b32 [to+%d], x;
  add.u32 i, i, 128;
  bra %s;
%s_END:]]
local function copy(from, n, label, at)
  return COPY:format(from, n, label, label, at, label, label)
end

-- a is a matrix without gaps, of rows of 32 bytes: the lane's words of rows l / 4 and l / 4 + 8.
local FRAGMENT = [[
  mov.u32 x, sm;
  shr.u32 i, t, 5;
  mad.lo.u32 x, i, 512, x;
  bfe.u32 i, t, 2, 3;
  mad.lo.u32 x, i, 32, x;
  and.b32 i, t, 3;
  mad.lo.u32 x, i, 4, x;
  ld.shared.b32 a0, [x];
  ld.shared.b32 a1, [x+256];
  ld.shared.b32 a2, [x+16];
  ld.shared.b32 a3, [x+272];]]

local K = { f16 = 16, bf16 = 16, tf32 = 8, e4m3 = 32, e5m2 = 32, s8 = 32, u8 = 32, b1 = 256 }

local function instruction(form)
  local d, a, b, n = table.unpack(form)
  return ("wgmma.mma_async%s.sync.aligned.m64n%dk%d%s.%s.%s.%s%s"):format(
    form.sparse and ".sp" or "", n, K[a] * (form.sparse and 2 or 1),
    form.satfinite and ".satfinite" or "", d, a, b, a == "b1" and ".and.popc" or "")
end

local function options(form)
  local d, a, _, _, la, lb = table.unpack(form)
  if d == "s32" then return "" end
  local signs = form.signs or { 1, 1 }
  local text = (", %d, %d"):format(signs[1], signs[2])
  if not a:find "f16" then return text end
  if la ~= "regs" then text = text .. (la:find "^mn" and ", 1" or ", 0") end
  return text .. (lb:find "^mn" and ", 1" or ", 0")
end

local function registers(form) return form[4] // (form[1] == "f16" and 4 or 2) end

local function kernel(name, form)
  local count = registers(form)
  local names, loads, stores = {}, {}, {}
  for i = 0, count - 1 do
    names[i + 1] = "d" .. i
    loads[i + 1] = ("  ld.global.b32 d%d, [c+%d];"):format(i, i * 4)
    stores[i + 1] = ("  st.global.b32 [c+%d], d%d;"):format(i * 4, i)
  end
  local regs, a_at = form[5] == "regs", (form.base or 0) * 128
  return KERNEL:format(name, SHARED, count,
    copy("pa", "na", "A", a_at) .. "\n" .. copy("pb", "nb", "B", B_AT), count * 4,
    table.concat(loads, "\n"), a_at, B_AT, regs and FRAGMENT or "", instruction(form),
    table.concat(names, ", "), regs and "{a0, a1, a2, a3}" or "a",
    form.sparse and ("meta, %d, "):format(form.sparse) or "", options(form),
    table.concat(stores, "\n"))
end

-- ---- accumulators: element i of a thread

local function place_of_sum(thread, i)
  return thread // 32 * 16 + thread % 32 // 4 + i // 2 % 2 * 8, i // 4 * 8 + thread % 4 * 2 + i % 2
end

-- Calls each(number of the element among those of all registers, row, column).
local function each_sum(form, each)
  local per = form[1] == "f16" and 2 or 1
  local count = registers(form) * per
  for thread = 0, THREADS - 1 do
    for i = 0, count - 1 do each(thread * count + i, place_of_sum(thread, i)) end
  end
end

local function transposed(m)
  local t = {}
  for c = 1, #m[1] do
    t[c] = {}
    for r = 1, #m do t[c][r] = m[r][c] end
  end
  return t
end

-- The matrix a, what is stored of it, and the metadata of all threads.
local function draw_a(form)
  local a = form[2]
  if not form.sparse then
    local m = tensor.random(64, K[a], a)
    return m, m, tensor.words(THREADS)
  end
  local case = { m = 64, k = K[a] * 2, bits = tensor.types[a].bits }
  local whole, stored, indices = sparsity.matrix(case, a)
  local words = {}
  for w = 0, 3 do
    local rows = table.move(indices, w * 16 + 1, w * 16 + 16, 1, {})
    table.move(sparsity.metadata(case, rows, form.sparse), 1, 32, w * 32 + 1, words)
  end
  return whole, stored, words
end

helper.for_each_device(function(device)
  if device.kind ~= "cpu" and (device.cc ~= 90 or helper.fake_gpu) then return end

  local function array(words) return cuda.array(words, "uint32") end

  -- Some GPUs keep fewer bits of sums of 8-bit floats.
  local function slack(form)
    return device.kind ~= "cpu" and form[2]:find "^e%dm%d$" and 2.0 ^ 7 or 1.0
  end

  local function check(k, form, scale)
    local d, at, bt, n, la, lb = table.unpack(form)
    local bits, dbits = tensor.types[at].bits, tensor.types[d].bits
    local whole, stored, meta = draw_a(form)
    local b, c = tensor.random(#whole[1], n, bt), tensor.random(64, n, d)
    local words = tensor.words(THREADS * registers(form))
    each_sum(form, function(i, r, col) tensor.put(words, dbits, i, c[r + 1][col + 1]) end)
    local wa, na
    if la == "regs" then
      wa, na = tensor.words(512), 512
      for r = 0, 63 do
        for x = 0, #stored[1] - 1 do
          tensor.put(wa, bits, r * 256 // bits + x, stored[r + 1][x + 1])
        end
      end
    else
      wa, na = image(la, bits, stored)
    end
    local wb, nb = image(lb, bits, transposed(b))
    local out = array(words)
    k({ grid = 1, block = THREADS }, array(wa), array(wb), out, array(meta),
      la == "regs" and 0 or descriptor(la) | (form.base or 0) << 49, descriptor(lb), na, nb, scale)
    local sign = form.signs and form.signs[1] * form.signs[2] or 1
    if scale == 0 then
      for r = 1, 64 do
        for col = 1, n do c[r][col] = 0 end
      end
    end
    -- -(a * b) + c is the same as -(a * b - c), whose terms have the same size
    local types = { a = at, b = bt, c = d }
    local sums, sizes = tensor.product(whole, b, c, types)
    local got = out:totable()
    each_sum(form, function(i, r, col)
      local start = tensor.types[d].value(c[r + 1][col + 1])
      local sum = sign * (sums[r + 1][col + 1] - start) + start
      local v = tensor.get(got, dbits, i)
      if not tensor.is_sum(v, d, sum, sizes[r + 1][col + 1] * slack(form), form.satfinite) then
        error(("%s, a %s, b %s, [%d, %d]: %s, expected %s"):format(instruction(form), la, lb, r,
          col, tensor.types[d].value(v), sum))
      end
    end)
  end

  describe("wgmma", function()
    local target = device.kind == "cpu" and "sm_80" or "sm_90a"
    local HEAD = ".version 8.4\n.target " .. target .. "\n.address_size 64\n"

    local function check_all(forms)
      math.randomseed(9)
      local text = { HEAD }
      for i, form in ipairs(forms) do text[i + 1] = kernel("k" .. i, form) end
      local m = cuda.module(table.concat(text))
      for i, form in ipairs(forms) do
        for _, scale in ipairs(form.scale or { 0, 1 }) do check(m:kernel("k" .. i), form, scale) end
      end
    end

    it("multiplies matrices of all types and layouts", function() check_all(FORMS) end)

    it("takes the base offset of a swizzle", function() check_all(SHIFTED) end)

    if device.kind ~= "cpu" then return end

    -- The message of a product with these descriptors.
    local function fault(da, db, given)
      local form = { "s32", "s8", "s8", 8, "k0", "k0" }
      local text = HEAD .. kernel("k", form)
      if given and given.edit then text = text:gsub(given.edit[1], given.edit[2]) end
      local empty = array(tensor.words(THREADS * 4))
      local ok, e = pcall(function()
        cuda.module(text):kernel("k")({ grid = 1, block = given and given.block or THREADS },
          empty, empty, empty, empty, da, db, 0, 0, 0)
        cuda.synchronize()
      end)
      return not ok and tostring(e)
    end

    it("reports matrices that reach past shared memory", function()
      assert.matches("out of bounds: read of 16 bytes at 0x%x+ in shared memory",
        fault(descriptor "k0", 0x3fff << 16))
      assert.matches("out of bounds: read of 16 bytes at 0x%x+ in shared memory",
        fault(0x3fff << 32, descriptor "k0"))
    end)

    it("reports threads that name different matrices", function()
      assert.matches("barrier: read of .*the threads of the warp name different matrices",
        fault(descriptor "k0", descriptor "k0", { edit = { "or.b64 b, b, at;",
          "or.b64 b, b, at; cvt.u64.u32 at, t; or.b64 b, b, at;" } }))
    end)

    it("reports a group without four warps, and threads that are missing", function()
      assert.matches("barrier.*an operation of four warps.*in a block of 96 threads",
        fault(descriptor "k0", descriptor "k0", { block = 96 }))
      assert.matches("barrier.*of the whole warp, of which only 31 of 32 threads are left",
        fault(descriptor "k0", descriptor "k0", { edit = { "wgmma.fence.sync.aligned;",
          "setp.eq.u32 p, t, 5; @p ret;" } }))
    end)
  end)
end)
