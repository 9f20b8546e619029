local cuda = require "luacuda"
local helper = require "spec.helper"
local evaluate = require "spec.support.evaluate"

local function integers(shape, dtype, seed)
  return cuda.random.generator(seed):integers(0, 4, shape):astype(dtype)
end

-- subscripts -> shapes of the operands
local CASES = {
  { "ij,jk", { 3, 4 }, { 4, 5 } }, { "ij,jk->ki", { 3, 4 }, { 4, 5 } },
  { "ba,cb", { 3, 4 }, { 5, 3 } }, { "ij,ij->", { 3, 4 }, { 3, 4 } },
  { "i,i", { 7 }, { 7 } }, { "i,j", { 3 }, { 4 } }, { "i,j->ji", { 3 }, { 4 } },
  { "ii", { 4, 4 } }, { "ii->i", { 4, 4 } }, { "iij->ji", { 3, 3, 2 } }, { "iji->j", { 3, 2, 3 } },
  { "iii->i", { 3, 3, 3 } }, { "iijj->ij", { 2, 2, 3, 3 } }, { "ij->ji", { 3, 4 } },
  { "ij->", { 3, 4 } }, { "ij->j", { 3, 4 } }, { "ba", { 3, 4 } }, { "Ab", { 3, 4 } },
  { "bij,bjk->bik", { 2, 3, 4 }, { 2, 4, 5 } }, { "bij,bkj->kbi", { 2, 3, 4 }, { 2, 5, 4 } },
  { "bi,bi->b", { 5, 6 }, { 5, 6 } }, { "bi,bi->bi", { 5, 6 }, { 5, 6 } },
  { "bhqd,bhkd->bhqk", { 2, 3, 4, 5 }, { 2, 3, 6, 5 } },
  { "abcd,cdbe->ea", { 2, 3, 4, 2 }, { 4, 2, 3, 5 } }, { "ijk,jil->kl", { 3, 4, 2 }, { 4, 3, 5 } },
  { "...ij,...jk->...ik", { 2, 1, 3, 4 }, { 5, 4, 2 } }, { "...i,...i", { 2, 3, 4 }, { 4 } },
  { "...ij->...ji", { 2, 3, 4 } }, { "i...->...", { 2, 3, 4 } }, { "i...->...i", { 2, 3, 4 } },
  { "i...,i...", { 3, 2 }, { 3, 2 } }, { "...,...", { 3, 1 }, { 2, 1, 4 } }, { "...", { 2, 3 } },
  { "ij...,jk...->ik...", { 3, 4, 2 }, { 4, 5, 2 } }, { "ii...->...", { 3, 3, 2 } },
  { "ij,jk,kl->il", { 3, 4 }, { 4, 5 }, { 5, 2 } }, { "i,j,k->kji", { 2 }, { 3 }, { 4 } },
  { "ij,j,i->", { 3, 4 }, { 4 }, { 3 } }, { "ij,ij,ij->ij", { 3, 4 }, { 3, 4 }, { 3, 4 } },
  { "ij,ik,il->jkl", { 3, 2 }, { 3, 4 }, { 3, 2 } },
  { "a,ab,abc->abc", { 2 }, { 2, 3 }, { 2, 3, 2 } },
  { "ij,kl->ik", { 3, 4 }, { 5, 2 } }, { "ij,kl->", { 3, 4 }, { 5, 2 } },
  { "i,i->i", { 1 }, { 4 } }, { "ij,ij->j", { 1, 4 }, { 3, 1 } }, { "i,i->", { 1 }, { 4 } },
  { ",ij->ij", {}, { 2, 3 } }, { ",", {}, {} }, { "", {} }, { "->", {} },
  { "ij,jk->ik", { 3, 0 }, { 0, 2 } }, { "ij->i", { 3, 0 } }, { "ij,jk->ik", { 0, 3 }, { 3, 2 } },
  { "ii->i", { 0, 0 } }, { " i j , j k -> i k ", { 3, 4 }, { 4, 5 } },
}

-- A random sum of products of up to four operands over up to five letters.
local function random_case(rng)
  local letters, extents = { "a", "b", "c", "d", "e" }, {}
  for _, letter in ipairs(letters) do extents[letter] = 1 + rng(3) end
  local case, texts, seen, output = { "" }, {}, {}, {}
  for k = 1, 1 + rng(4) do
    local text, shape = "", {}
    for _ = 1, rng(4) do
      local letter = letters[1 + rng(#letters)]
      text, seen[letter] = text .. letter, true
      shape[#shape + 1] = extents[letter]
    end
    texts[k], case[k + 1] = text, shape
  end
  for letter in pairs(seen) do
    if rng(2) == 0 then output[#output + 1] = letter end
  end
  table.sort(output, function(x, y) return (x:byte() * 7) % 5 < (y:byte() * 7) % 5 end)
  case[1] = table.concat(texts, ",") .. (rng(4) == 0 and "" or "->" .. table.concat(output))
  return case
end

describe("einsum", function()
  helper.for_each_device(function()
    it("contracts, transposes and traces by hand", function()
      local a = cuda.arange(6):reshape { 2, 3 }
      local b = cuda.arange(12):reshape { 3, 4 }
      assert.same({ { 20, 56 }, { 23, 68 }, { 26, 80 }, { 29, 92 } },
        cuda.einsum("ij,jk->ki", a, b):totable())
      assert.equal(15, cuda.einsum("ij->", a))
      assert.equal(66, cuda.einsum("ij->", b))
    end)

    it("gives views where nothing is computed", function()
      local a = cuda.zeros { 3, 3 }
      cuda.einsum("ii->i", a):fill(1)
      cuda.einsum("ij->ji", a):setitem(5, 1, 2)
      assert.same({ { 1, 0, 0 }, { 5, 1, 0 }, { 0, 0, 1 } }, a:totable())
    end)

    it("writes to out, also over an operand", function()
      local a = cuda.array { { 1, 2 }, { 3, 4 } }
      local y = cuda.empty { 2, 2 }
      assert.equal(y, cuda.einsum("ij,jk->ik", a, a, { out = y }))
      assert.same({ { 7, 10 }, { 15, 22 } }, y:totable())
      cuda.einsum("ij,kj->ki", a, a, { out = a:transpose() })
      assert.same({ { 5, 11 }, { 11, 25 } }, a:transpose():totable())
      local sum = cuda.empty({}, "float32")
      assert.equal(sum, cuda.einsum("ij->", y, { out = sum }))
      assert.equal(54, sum:item())
      cuda.einsum("ij->ji", y, { out = y })
      assert.same({ { 7, 15 }, { 10, 22 } }, y:totable())
      assert.same({ 2, 2 }, cuda.tensordot(a, a, { axes = 1, out = y }).shape)
    end)

    it("refuses what it cannot take", function()
      local a, v = cuda.zeros { 2, 3 }, cuda.zeros(2)
      local function refuses(part, ...) helper.contains(helper.misuse(cuda.einsum, ...), part) end
      refuses("expected a string", a, a)
      refuses("they are for 2 operands, there are 1", "ij,jk", a)
      refuses("'ijk' does not fit an array of 2 axes", "ijk", a)
      refuses("'i' does not fit an array of 2 axes", "i", a)
      refuses("'i2' is not a list of letters", "i2", a)
      refuses("'k' of the output is in no operand", "ij->k", a)
      refuses("'i' is twice in the output", "ij->ii", a)
      refuses("lacks the '...'", "i...->i", a)
      refuses("operands with 'i' have 2 and 3 elements", "ii", a)
      refuses("'i' names axes of 1 and 3 elements", "ii", cuda.zeros { 1, 3 })
      refuses("operands with 'i' have 3 and 2 elements", "ji,i", a, v)
      refuses("operand 2': expected an Array", "i,i", v, 3)
      refuses("unknown option 'axis'", "ij->i", a, { axis = 1 })
      refuses("argument 2: expected an Array", "ij->i")
      refuses("option 'out'", "ij->i", a, { out = a })
      refuses("'j->k' is not a list of letters", "ij->j->k", a)
      helper.contains(helper.misuse(cuda.tensordot, a, v, { axes = 1 }),
        "tensordot: shapes {2, 3} and {2} do not fit: 3 elements of axis 2 against 2 of axis 1")
      helper.contains(helper.misuse(cuda.tensordot, a, v), "do not have 2 axes to sum over")
      helper.contains(helper.misuse(cuda.tensordot, a, a, { axes = { { 1, 2 }, { 1 } } }),
        "2 axes of 'a', 1 of 'b'")
      helper.contains(helper.misuse(cuda.tensordot, a, a, { axes = { 3, 1 } }),
        "3 is not an axis of 'a'")
      helper.contains(helper.misuse(cuda.tensordot, a, a, { axes = { { 1, 1 }, { 1, 2 } } }),
        "axis 1 of 'a' is named twice")
      helper.contains(helper.misuse(cuda.tensordot, a, a, { axes = "1" }), "option 'axes'")
      helper.contains(helper.misuse(cuda.kron, a, 3), "argument 2 'b': expected an Array")
    end)

    it("can be captured", function()
      local a, b = integers({ 3, 4 }, "float32", 1), integers({ 4, 5 }, "float32", 2)
      local y = cuda.empty { 5, 3 }
      local graph = cuda.graph(function() cuda.einsum("ij,jk->ki", a, b, { out = y }) end)
      graph:launch()
      assert.same(a:matmul(b):transpose():totable(), y:totable())
    end)

    if not evaluate.available() then
      pending "Python has no NumPy"
      return
    end

    -- Runs the cases in NumPy and here.
    local function check(cases, dtype)
      local inputs, lines, all = {}, {}, {}
      for c, case in ipairs(cases) do
        local names = {}
        all[c] = {}
        for k = 2, #case do
          local a = integers(case[k], dtype, 10 * c + k)
          names[k - 1] = ("x%d_%d"):format(c, k)
          inputs[names[k - 1]], all[c][k - 1] = a, a
        end
        lines[c] = ("r_%d = np.einsum(%q, %s)"):format(c, case[1], table.concat(names, ", "))
      end
      local want = evaluate.run(inputs, table.concat(lines, "\n"))
      for c, case in ipairs(cases) do
        local expected = want[tostring(c)]
        local got = cuda.einsum(case[1], table.unpack(all[c]))
        local ok, why = pcall(function()
          if expected.ndim == 0 then
            assert.is_true(helper.close(expected:item(), got, dtype))
          else
            assert.equal(expected.dtype, got.dtype)
            assert.same({ table.unpack(expected.shape) }, { table.unpack(got.shape) })
            helper.assert_close(expected:totable(), got, { dtype = dtype })
          end
        end)
        assert.is_true(ok, case[1] .. ": " .. tostring(why))
      end
    end

    for _, dtype in ipairs { "float64", "float32", "int64", "int8", "bool", "complex64" } do
      it("agrees with NumPy for " .. dtype, function() check(CASES, dtype) end)
    end

    it("agrees with NumPy for random subscripts", function()
      local rng, cases = helper.random(11), {}
      for c = 1, 60 do cases[c] = random_case(rng) end
      check(cases, "int64")
    end)

    it("promotes dtypes and takes views", function()
      local a, b = integers({ 4, 6 }, "int16", 1), integers({ 5, 6 }, "float32", 2)
      local c = integers({ 3, 5 }, "int32", 3)
      local want = evaluate.run({ a = a, b = b, c = c }, [[
r_1 = np.einsum("ij,kj,lk->il", a[::2], b[:, ::-1], c)
r_2 = np.einsum("ij,kj", a.T[::-1].T, b)
]])
      local y = cuda.einsum("ij,kj,lk->il", a:slice { 1, -1, 2 }, b:slice({}, { -1, 1, -1 }), c)
      assert.equal("float64", y.dtype)
      assert.same(want["1"]:totable(), y:totable())
      y = cuda.einsum("ij,kj", a:slice({}, { -1, 1, -1 }), b)
      assert.equal("float32", y.dtype)
      assert.same(want["2"]:totable(), y:totable())
    end)

    it("tensordot and kron agree with NumPy", function()
      local a, b = integers({ 3, 4, 5 }, "int32", 1), integers({ 4, 3, 2 }, "float64", 2)
      local v, z = integers({ 2 }, "float32", 3), cuda.array(3, "int8")
      local want = evaluate.run({ a = a, b = b, v = v, z = z }, [[
r_1 = np.tensordot(a, b, axes=([1, 0], [0, 1]))
r_2 = np.tensordot(a, a, axes=3)
r_3 = np.tensordot(a, v, axes=0)
r_4 = np.tensordot(b, v, axes=1)
r_5 = np.tensordot(a, b, axes=(-2, 0))
r_6 = np.tensordot(a[:, :, :0], b[:0], axes=1)
r_7 = np.tensordot(z, v, axes=0)
r_k1 = np.kron(a, v); r_k2 = np.kron(v, b); r_k3 = np.kron(a.T, b[::-1]); r_k4 = np.kron(z, v)
r_k5 = np.kron(v[:0], v)
]])
      local function same(name, got)
        assert.equal(want[name].dtype, got.dtype)
        assert.same({ table.unpack(want[name].shape) }, { table.unpack(got.shape) })
        assert.same(want[name]:totable(), got:totable())
      end
      same("1", cuda.tensordot(a, b, { axes = { { 2, 1 }, { 1, 2 } } }))
      assert.equal(want["2"]:item(), cuda.tensordot(a, a, { axes = 3 }))
      same("3", cuda.tensordot(a, v, { axes = 0 }))
      same("4", cuda.tensordot(b, v, { axes = 1 }))
      same("5", cuda.tensordot(a, b, { axes = { -2, 1 } }))
      same("6", cuda.tensordot(a:slice({}, {}, { 1, 0 }), b:slice { 1, 0 }, { axes = 1 }))
      same("7", cuda.tensordot(z, v, { axes = 0 }))
      same("k1", cuda.kron(a, v))
      same("k2", cuda.kron(v, b))
      same("k3", cuda.kron(a:transpose(), b:slice { -1, 1, -1 }))
      same("k4", cuda.kron(z, v))
      same("k5", cuda.kron(v:slice { 1, 0 }, v))
      assert.equal(9, cuda.kron(z, z))
      local y = cuda.empty({ 4 })
      assert.equal(y, cuda.kron(v, v, { out = y }))
      same("k4", cuda.kron(z, v))
    end)
  end)
end)
