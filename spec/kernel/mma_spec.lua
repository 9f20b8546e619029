-- Products of matrices by a warp in inline assembly: every shape and type of mma and mma.sp, with
-- fragments laid out as the PTX ISA says (9.7.14.5, 9.7.14.6).
local cuda = require "luacuda"
local helper = require "spec.helper"
local sparsity = require "spec.support.sparse"
local tensor = require "spec.support.tensor"

-- instruction without types; m, n, k; d, a, b, c; the lowest compute capability
local ROWS = {
  { 8, 8, 16, "s32 s8 s8 s32 u8 s8", 75 }, { 16, 8, 16, "s32 s8 u8 s32 u8 u8", 80 },
  { 16, 8, 32, "s32 s8 s8 s32 u8 s8", 80 }, { 8, 8, 32, "s32 s4 s4 s32 u4 s4", 75 },
  { 16, 8, 32, "s32 s4 u4 s32 u4 u4", 80 }, { 16, 8, 64, "s32 s4 s4 s32 u4 s4", 80 },
  { 8, 8, 128, "s32 b1 b1 s32", 80 }, { 16, 8, 128, "s32 b1 b1 s32", 80 },
  { 16, 8, 256, "s32 b1 b1 s32", 80 },
  { 16, 8, 8, "f32 f16 f16 f32", 75 }, { 16, 8, 8, "f16 f16 f16 f16", 75 },
  { 16, 8, 16, "f32 f16 f16 f32", 80 }, { 16, 8, 16, "f16 f16 f16 f16", 80 },
  { 16, 8, 8, "f32 bf16 bf16 f32", 80 }, { 16, 8, 16, "f32 bf16 bf16 f32", 80 },
  { 16, 8, 4, "f32 tf32 tf32 f32", 80 }, { 16, 8, 8, "f32 tf32 tf32 f32", 80 },
  { 8, 8, 4, "f64 f64 f64 f64", 80 }, { 16, 8, 4, "f64 f64 f64 f64", 90 },
  { 16, 8, 8, "f64 f64 f64 f64", 90 }, { 16, 8, 16, "f64 f64 f64 f64", 90 },
  { 16, 8, 32, "f32 e4m3 e5m2 f32 e5m2 e4m3", 89 }, { 16, 8, 32, "f16 e4m3 e4m3 f16", 89 },
  { 16, 8, 16, "f32 e5m2 e5m2 f32 e4m3 e4m3", 89 }, { 16, 8, 16, "f16 e5m2 e4m3 f16", 89 },
}
-- The same, of mma.sp.
local SPARSE = {
  { 16, 8, 16, "f32 f16 f16 f32", 80 }, { 16, 8, 32, "f32 f16 f16 f32", 80 },
  { 16, 8, 32, "f16 f16 f16 f16", 80 }, { 16, 8, 16, "f32 bf16 bf16 f32", 80 },
  { 16, 8, 32, "f32 bf16 bf16 f32", 80 }, { 16, 8, 8, "f32 tf32 tf32 f32", 80 },
  { 16, 8, 16, "f32 tf32 tf32 f32", 80 }, { 16, 8, 32, "s32 s8 u8 s32", 80 },
  { 16, 8, 64, "s32 u8 s8 s32", 80 }, { 16, 8, 64, "s32 s4 u4 s32", 80 },
  { 16, 8, 128, "s32 u4 s4 s32", 80 }, { 16, 8, 64, "f32 e4m3 e5m2 f32", 89 },
}

-- With kind::f8f6f4: d, a, b, c. They need sm_120a, which NVRTC does not compile for here.
local NARROW = { "f32 e2m1 e3m2 f32", "f32 e2m3 e2m1 f32", "f16 e3m2 e4m3 f16",
  "f32 e5m2 e2m3 f32", "f32 e4m3 e5m2 f32" }

-- With scales of blocks: d, a, b, c; the kind; how many scales a row has, and their type; byte and
-- thread of the scales of a, and of those of b. They need sm_120a as well.
local SCALED = {
  { "f32 e4m3 e5m2 f32", "mxf8f6f4", 1, "ue8m0", { 0, 0, 0, 0 } },
  { "f32 e2m1 e3m2 f32", "mxf8f6f4", 1, "ue8m0", { 3, 1, 2, 1 } },
  { "f32 e2m3 e4m3 f32", "mxf8f6f4", 1, "ue8m0", { 1, 0, 3, 1 }, default = true },
  { "f32 e2m1x2 e2m1x2 f32", "mxf4", 2, "ue8m0", { 0, 1, 2, 0 } },
  { "f32 e2m1x2 e2m1x2 f32", "mxf4", 2, "ue8m0", { 2, 0, 0, 1 }, default = true },
  { "f32 e2m1x2 e2m1x2 f32", "mxf4nvf4", 2, "ue8m0", { 2, 1, 2, 1 } },
  { "f32 e2m1x2 e2m1x2 f32", "mxf4nvf4", 4, "ue8m0", { 0, 0, 0, 1 } },
  { "f32 e2m1x2 e2m1x2 f32", "mxf4nvf4", 4, "ue4m3", { 0, 1, 0, 0 } },
}

-- ---- fragments, as the ISA has them: element i of a lane is at this row and column

local function split(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  return table.unpack(list)
end

local function per_word(bits) return math.max(1, 32 // bits) end

local function place_a(case, lane, i)
  local per, group, thread = per_word(case.bits), lane // 4, lane % 4
  local word, e = i // per, i % per
  local blocks = case.m // 8
  return group + 8 * (word % blocks), thread * per + e + 4 * per * (word // blocks)
end
local function place_b(case, lane, i)
  local per, group, thread = per_word(case.bits), lane // 4, lane % 4
  return thread * per + i % per + 4 * per * (i // per), group
end
local function place_c(_, lane, i) return lane // 4 + 8 * (i // 2), lane % 4 * 2 + i % 2 end

-- The words of all lanes, register by register: word[register * 32 + lane].
local function pack(case, matrix, type_, place, count)
  local bits = tensor.types[type_].bits
  local per = per_word(bits)
  local wide = bits == 64 and 2 or 1
  local words = tensor.words(32 * wide * (count // per))
  for lane = 0, 31 do
    for i = 0, count - 1 do
      local r, c = place(case, lane, i)
      tensor.put(words, bits, ((i // per) * 32 + lane) * per + i % per, matrix[r + 1][c + 1])
    end
  end
  return words
end

-- ---- kernels: fragments are read from and written to arrays of words

local KINDS = { f32 = { "float", "f" }, f64 = { "double", "d" } }

local function registers(name, type_, count, at)
  local kind = KINDS[type_] or { "unsigned", "r" }
  local loads, names, constraints = {}, {}, {}
  for i = 0, count - 1 do
    loads[#loads + 1] = ("  %s %s%d = ((const %s *)%s)[%d + l];"):format(kind[1], name, i, kind[1],
      name, i * 32)
    names[#names + 1] = "%" .. at + i
    constraints[#constraints + 1] = ('"%s%s"(%s%d)'):format(name == "D" and "=" or "", kind[2],
      name, i)
  end
  return loads, "{" .. table.concat(names, ", ") .. "}", table.concat(constraints, ", "), at + count
end

-- extra: the sparsity selector; scales: byte and thread of those of a, and of those of b.
local function source_of(name, counts, types, extra, scales)
  local d, dn, dc, at = registers("D", types.d, counts.d, 0)
  local a, an, ac, b, bn, bc, c, cn, cc
  a, an, ac, at = registers("A", types.a == "f64" and "f64" or "", counts.a, at)
  b, bn, bc, at = registers("B", types.b == "f64" and "f64" or "", counts.b, at)
  c, cn, cc, at = registers("C", types.c, counts.c, at)
  local text = { "__global__ void product(void *D, const void *A, const void *B, const void *C,",
    "                        const unsigned *E) {", "  int l = threadIdx.x;" }
  for _, lines in ipairs { a, b, c } do
    for _, line in ipairs(lines) do text[#text + 1] = line end
  end
  local kind = (KINDS[types.d] or { "unsigned" })[1]
  local last = extra and (", %%%d, %d"):format(at, extra) or ""
  if scales then
    last = last .. (", {%%%d}, {%%%d, %d}, %%%d, {%d, %%%d}"):format(at + 1, at + 3, scales[2],
      at + 2, scales[3], at + 4)
  end
  local more = scales and (', "r"(E[32 + l]), "r"(E[64 + l]), "h"((short)%d), "h"((short)%d)')
    :format(scales[1], scales[4]) or ""
  for i = 0, #d - 1 do text[#text + 1] = ("  %s D%d;"):format(kind, i) end
  text[#text + 1] = ('  asm volatile("%s %s, %s, %s, %s%s;" : %s : %s, %s, %s, "r"(E[l])%s);')
    :format(name, dn, an, bn, cn, last, dc, ac, bc, cc, more)
  for i = 0, #d - 1 do text[#text + 1] = ("  ((%s *)D)[%d + l] = D%d;"):format(kind, i * 32, i) end
  return table.concat(text, "\n") .. "\n}"
end

helper.for_each_device(function(device)
  local function array(words) return cuda.array(words, "uint32") end

  local function run(case, source, a, b, c, meta)
    local size = 32 * case.counts.d * (case.types.d == "f64" and 2 or 1)
    local d = cuda.zeros(size, "uint32")
    cuda.kernel(source)({ grid = 1, block = 32 }, d, array(a), array(b), array(c),
      array(meta or tensor.words(32)))
    return d:totable()
  end

  -- GPUs add products of 8-bit floats in half precision where the result is of halves.
  local function is_rough(case)
    return device.kind ~= "cpu" and case.types.d == "f16" and case.types.a:find "^e%dm%d$"
  end

  local function compare(case, got, sums, sizes)
    local scale = is_rough(case) and 2.0 ^ 7 or 1.0
    local bits = tensor.types[case.types.d].bits
    local per = per_word(bits)
    for lane = 0, 31 do
      for i = 0, case.m // 4 - 1 do
        local r, col = place_c(case, lane, i)
        local v = tensor.get(got, bits, ((i // per) * 32 + lane) * per + i % per)
        local sum, size = sums[r + 1][col + 1], sizes[r + 1][col + 1]
        if not tensor.is_sum(v, case.types.d, sum, size * scale, case.satfinite) then
          error(("%s, [%d, %d]: %s, expected %s"):format(case.name, r, col,
            tensor.types[case.types.d].value(v), sum))
        end
      end
    end
  end

  local function new_case(row, d, a, b, c, sparse)
    local bits, cbits = tensor.types[a].bits, tensor.types[c].bits
    local m, n, k = row[1], row[2], row[3]
    local case = { m = m, n = n, k = k, bits = bits, types = { d = d, a = a, b = b, c = c } }
    local divisor = 32 * per_word(bits)
    case.counts = { a = m * k // divisor // (sparse and 2 or 1), b = k * n // divisor,
      c = m * n // 32 // per_word(cbits) }
    case.counts.d = case.counts.c
    return case
  end

  local function operands(case)
    local t, per = case.types, per_word(case.bits)
    local b, c = tensor.random(case.k, case.n, t.b), tensor.random(case.m, case.n, t.c)
    return b, c, pack(case, b, t.b, place_b, case.counts.b * per),
      pack(case, c, t.c, place_c, case.m // 4)
  end

  local function check(case, op)
    local t = case.types
    local a = tensor.random(case.m, case.k, t.a)
    local b, c, pb, pc = operands(case)
    local pa = pack(case, a, t.a, place_a, case.counts.a * per_word(case.bits))
    case.name = ("mma.sync.aligned.m%dn%dk%d.row.col%s%s.%s.%s.%s.%s%s"):format(case.m, case.n,
      case.k, case.kind or "", case.satfinite and ".satfinite" or "", t.d, t.a, t.b, t.c,
      op and "." .. op .. ".popc" or "")
    local sums, sizes = tensor.product(a, b, c, t, op)
    compare(case, run(case, source_of(case.name, case.counts, t), pa, pb, pc), sums, sizes)
  end

  local function check_sparse(case, selector)
    local t = case.types
    local whole, stored, indices = sparsity.matrix(case, t.a)
    local b, c, pb, pc = operands(case)
    local pa = pack(case, stored, t.a, place_a, case.counts.a * per_word(case.bits))
    case.name = ("mma.sp::ordered_metadata.sync.aligned.m%dn%dk%d.row.col%s.%s.%s.%s.%s"):format(
      case.m, case.n, case.k, case.kind or "", t.d, t.a, t.b, t.c)
    local sums, sizes = tensor.product(whole, b, c, t)
    local source = source_of(case.name, case.counts, t, selector)
    local words = sparsity.metadata(case, indices, selector)
    compare(case, run(case, source, pa, pb, pc, words), sums, sizes)
  end

  -- Random scales of `lines` rows or columns: numbers, and the words of the lanes.
  local function random_scales(form, lines, lane_of, byte)
    local type_, values, words = tensor.types[form[4]], {}, {}
    for lane = 1, 32 do words[lane] = math.random(0, 0xffffffff) end
    for line = 0, lines - 1 do
      values[line + 1] = {}
      for i = 0, form[3] - 1 do
        local bits = type_.random()
        values[line + 1][i + 1] = type_.value(bits)
        tensor.put(words, 8, lane_of(line) * 4 + byte + i, bits)
      end
    end
    return values, words
  end

  local function check_scaled(form, sparse)
    local d, ta, tb, tc = split(form[1])
    local packed = ta == "e2m1x2"
    local shape = { 16, 8, (packed and 64 or 32) * (sparse and 2 or 1) }
    local case = new_case(shape, d, ta, tb, tc, sparse)
    local t, at = case.types, form[5]
    local whole, stored, indices = tensor.random(case.m, case.k, ta), nil, nil
    if sparse then whole, stored, indices = sparsity.matrix(case, ta) end
    local b, c, pb, pc = operands(case)
    local pa = pack(case, stored or whole, ta, place_a, case.counts.a * per_word(case.bits))
    local sa, wa = random_scales(form, 16,
      function(r) return r % 8 * 4 + at[2] * 2 + r // 8 end, at[1])
    local sb, wb = random_scales(form, 8, function(n) return n * 4 + at[4] end, at[3])
    case.name = ("mma%s.sync.aligned.kind::%s.block_scale%s.m16n8k%d.row.col.%s.%s.%s.%s.%s")
      :format(sparse and ".sp::ordered_metadata" or "", form[2],
        form.default and "" or ".scale_vec::" .. form[3] .. "X", case.k, d,
        packed and "e2m1" or ta, packed and "e2m1" or tb, tc, form[4])
    local words = sparse and sparsity.metadata(case, indices, 0) or tensor.words(32)
    for _, more in ipairs { wa, wb } do table.move(more, 1, 32, #words + 1, words) end
    local length = case.k // form[3]
    local sums, sizes = tensor.product(whole, b, c, t, nil, function(r, col, k)
      return sa[r][(k - 1) // length + 1] * sb[col][(k - 1) // length + 1]
    end)
    local source = source_of(case.name, case.counts, t, sparse and 0 or nil, at)
    compare(case, run(case, source, pa, pb, pc, words), sums, sizes)
  end

  -- m8n8k4 of f16: product q is that of lanes 4q to 4q + 3 and of those 16 above.
  local function check_four(sum, row, col)
    local counts = { a = 2, b = 2, c = sum == "f16" and 4 or 8, d = sum == "f16" and 4 or 8 }
    local case = { counts = counts, types = { d = sum, a = "f16", b = "f16", c = sum } }
    local bits = tensor.types[sum].bits
    local pa, pb = tensor.words(64), tensor.words(64)
    local pc = tensor.words(32 * counts.c)
    local function place_sum(lane, i)
      if sum == "f16" then return lane % 4 + lane // 16 * 4, i end
      return (lane & 1) + (i & 2) + lane // 16 * 4, (i & 4) + (lane & 2) + (i & 1)
    end
    local function at(lane, i, size)
      local per = 32 // size
      return (i // per * 32 + lane) * per + i % per
    end
    local wanted = {}
    for q = 0, 3 do
      local a, b = tensor.random(8, 4, "f16"), tensor.random(4, 8, "f16")
      local c = tensor.random(8, 8, sum)
      for n = 0, 7 do
        local lane = q * 4 + n % 4 + n // 4 * 16
        for i = 0, 3 do
          local line, k = n, i
          if not row then line, k = i + n // 4 * 4, n % 4 end
          tensor.put(pa, 16, at(lane, i, 16), a[line + 1][k + 1])
          line, k = n, i
          if not col then line, k = i + n // 4 * 4, n % 4 end
          tensor.put(pb, 16, at(lane, i, 16), b[k + 1][line + 1])
        end
        for i = 0, 7 do
          local r, column = place_sum(lane, i)
          tensor.put(pc, bits, at(lane, i, bits), c[r + 1][column + 1])
        end
      end
      wanted[q] = { tensor.product(a, b, c, case.types) }
    end
    local name = ("mma.sync.aligned.m8n8k4.%s.%s.%s.f16.f16.%s"):format(row and "row" or "col",
      col and "col" or "row", sum, sum)
    local got = run(case, source_of(name, counts, case.types), pa, pb, pc)
    for lane = 0, 31 do
      local sums, sizes = table.unpack(wanted[lane % 16 // 4])
      for i = 0, 7 do
        local r, column = place_sum(lane, i)
        assert.is_true(tensor.is_sum(tensor.get(got, bits, at(lane, i, bits)), sum,
          sums[r + 1][column + 1], sizes[r + 1][column + 1]), name)
      end
    end
  end

  local function each(rows, sparse, fn)
    for _, row in ipairs(rows) do
      if device.kind == "cpu" or device.cc >= row[5] then
        local d, a, b, c, a2, b2 = split(row[4])
        fn(new_case(row, d, a, b, c, sparse))
        if a2 then fn(new_case(row, d, a2, b2, c, sparse)) end
      end
    end
  end

  describe("mma", function()
    before_each(function() math.randomseed(7) end)

    it("multiplies fragments of all shapes and types", function()
      each(ROWS, false, function(case)
        if case.types.a ~= "b1" then return check(case) end
        check(case, "xor")
        check(case, "and")
      end)
    end)

    it("multiplies four small matrices of halves, in all layouts", function()
      if device.kind ~= "cpu" and device.cc >= 90 then return end -- emulated slowly, if at all
      for _, sum in ipairs { "f32", "f16" } do
        for layouts = 0, 3 do check_four(sum, layouts & 1 == 0, layouts & 2 == 0) end
      end
    end)

    it("multiplies floats of 4, 6 and 8 bits with each other", function()
      if device.kind ~= "cpu" then return end
      for _, types in ipairs(NARROW) do
        local d, a, b, c = split(types)
        local case, wide = new_case({ 16, 8, 32 }, d, a, b, c),
          new_case({ 16, 8, 64 }, d, a, b, c, true)
        case.kind, wide.kind = ".kind::f8f6f4", ".kind::f8f6f4"
        check(case)
        check_sparse(wide, 0)
      end
    end)

    it("multiplies blocks of elements by scales", function()
      if device.kind ~= "cpu" then return end
      for _, form in ipairs(SCALED) do
        check_scaled(form)
        check_scaled(form, true)
      end
    end)

    it("saturates sums of integers", function()
      each(ROWS, false, function(case)
        if case.types.d ~= "s32" or case.types.a == "b1" then return end
        case.satfinite = true
        check(case)
      end)
    end)

    it("reads all of c before it writes d", function()
      -- d is the registers of c in another order
      local PTX = [[
        .version 7.0
        .target sm_80
        .address_size 64
        .visible .entry %s(.param .u64 out) {
          .reg .%s c<4>;
          .reg .b32 t, a;
          .reg .b64 p, q;
          mov.u32 t, %%tid.x;
          mov.b32 a, 0;
          cvt.rn.%s.u32 c0, t;
          add.%s c1, c0, c0;
          add.%s c2, c1, c0;
          add.%s c3, c2, c0;
          mma.sync.aligned.%s {c3, c2, c1, c0}, {a, a, a, a}, {a, a}, {c0, c1, c2, c3};
          ld.param.u64 p, [out];
          mul.wide.u32 q, t, 16;
          add.u64 p, p, q;
          st.global.v4.%s [p], {c0, c1, c2, c3};
          ret;
        }]]
      for _, type_ in ipairs { "s32", "f32" } do
        local name = type_ == "s32" and "m16n8k32.row.col.s32.s8.s8.s32"
          or "m16n8k16.row.col.f32.f16.f16.f32"
        local text = PTX:format("product", type_, type_, type_, type_, type_, name, type_)
        if type_ == "s32" then text = text:gsub("cvt.rn.s32", "cvt.s32") end
        local out = cuda.zeros(128, type_ == "s32" and "int32" or "float32")
        cuda.module(text):kernel "product" ({ grid = 1, block = 32 }, out)
        local got = out:totable()
        for lane = 0, 31 do
          for i = 0, 3 do assert.equal((4 - i) * lane, got[lane * 4 + i + 1]) end
        end
      end
    end)

    it("multiplies sparse matrices, with every selector", function()
      each(SPARSE, true, function(case)
        local bits = case.types.a == "tf32" and case.k * 2 or case.bits == 4 and case.k // 2
          or case.k
        local selectors = bits == 64 and 1 or bits == 32 and 2 or 4
        check_sparse(case, 0)
        check_sparse(case, selectors - 1)
      end)
    end)
  end)
end)
