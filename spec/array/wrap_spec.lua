-- Memory that other code owns: cuda.wrap, objects with __cuda, read-only memory, and cuda.register
-- of any host memory.
local helper = require "spec.helper"
local cuda = require "luacuda"

local misuse = helper.misuse

-- An object of another library: it owns an array, which stands for memory of its own, and describes
-- it as the fields say.
local function foreign(array, fields, how)
  local function describe(self)
    self.asked = (self.asked or 0) + 1
    local d = { pointer = array.pointer, shape = array.shape, dtype = array.dtype,
      strides = array.strides, device = array.device }
    for name, value in pairs(fields or {}) do d[name] = value or nil end
    return d
  end
  if how == "field" then return { __cuda = describe } end
  return setmetatable({}, { __cuda = describe })
end

helper.for_each_device(function(device)
  describe("wrapped memory", function()
    it("may have strides in bytes, also negative ones", function()
      local base = cuda.arange(12, "int32")
      local w = cuda.wrap(base.pointer, { 3, 4 }, "int32", { owner = base, strides = { 4, 12 } })
      assert.same({ { 0, 3, 6, 9 }, { 1, 4, 7, 10 }, { 2, 5, 8, 11 } }, w:totable())
      assert.is_false(w.is_contiguous)
      local back = cuda.wrap(base.pointer + 44, 12, "int32", { owner = base, strides = { -4 } })
      assert.same({ 11, 10, 9 }, back:slice({ 1, 3 }):totable())
      assert.equal(base.pointer + 44, back.pointer)
      back:fill(5)
      assert.same({ 5, 5 }, base:slice({ 11, 12 }):totable())
      assert.same({}, cuda.wrap(0, 0, "int32", { strides = { 8 } }):totable())
    end)

    it("refuses strides that fit no memory", function()
      local base = cuda.arange(12, "int32")
      local function wrap(strides, shape)
        return misuse(cuda.wrap, base.pointer, shape or { 3, 4 }, "int32", { strides = strides })
      end
      assert.matches("expected a list of 2 integers %(bytes%)", wrap { 4 })
      assert.matches("expected a list of 2 integers", wrap(4))
      assert.matches("got 1.5 in it", wrap { 1.5, 4 })
      assert.matches("2 bytes are not aligned for int32", wrap { 2, 4 })
      assert.matches("more than any memory", wrap { math.maxinteger - 3, 4 })
      assert.matches("more than any memory", wrap { math.mininteger, 4 })
      assert.matches("is not memory of", wrap { 1 << 40, 4 })
      assert.matches("unknown option 'stride'",
        misuse(cuda.wrap, base.pointer, 3, "int32", { stride = { 4 } }))
    end)

    it("comes after the work of the given stream", function()
      local n, s = 1 << 16, cuda.stream()
      local base = cuda.zeros(n, "int32")
      for i = 1, 20 do cuda.with_stream(s, function() base:fill(i) end) end
      local w = cuda.wrap(base.pointer, n, "int32", { owner = base, stream = s })
      assert.equal(20, (w + 0):item(n))
      local e = misuse(cuda.wrap, base.pointer, n, "int32", { stream = 5 })
      assert.matches("'stream': expected a Stream", e)
      s:close()
    end)
  end)

  describe("read-only memory", function()
    local function readonly()
      local base = cuda.arange(6, "float32")
      return cuda.wrap(base.pointer, { 2, 3 }, { owner = base, readonly = true }), base
    end

    it("can be read in every way", function()
      local r = readonly()
      assert.is_true(r.is_readonly)
      assert.is_false(cuda.zeros(3).is_readonly)
      assert.same({ { 0.0, 1.0, 2.0 }, { 3.0, 4.0, 5.0 } }, r:totable())
      assert.equal(15.0, r:sum())
      assert.same({ 1.0, 4.0 }, (r:transpose()[2] + 0):totable())
      local k = cuda.kernel [[__global__ void copy(const float *x, float *y) {
        y[threadIdx.x] = x[threadIdx.x];
      }]]
      local y = cuda.zeros(6)
      for _ = 1, 3 do k({ grid = 1, block = 6 }, r, y) end
      assert.same({ 0.0, 1.0, 2.0, 3.0, 4.0, 5.0 }, y:totable())
      assert.is_false(r:copy().is_readonly)
      assert.is_true(r:slice(1).is_readonly)
      assert.is_true(r:reshape(6).is_readonly)
    end)

    it("is never written", function()
      local r, base = readonly()
      local v = r:slice { 1, 1 }
      local k = cuda.kernel [[__global__ void set(float *x) { x[threadIdx.x] = 9; }]]
      local f = k:prepare { grid = 1, block = 3 }
      for _, write in ipairs {
        function() r:fill(1) end,
        function() r:set { { 1, 2, 3 }, { 1, 2, 3 } } end,
        function() r[1][2] = 5 end,
        function() r[1] = 5 end,
        function() r:setitem(5, 1, 2) end,
        function() v:set { { 1, 2, 3 } } end,
        function() cuda.copy(r, cuda.zeros { 2, 3 }) end,
        function() cuda.add(r, 1, { out = r }) end,
        function() cuda.zeros { 2, 3 }:copy { out = r } end,
        function() cuda.memset(r, 0) end,
        function() cuda.zeros({ 2, 3 }, { out = r }) end,
        function() cuda.ones({ 2, 2, 3 }):sum { axis = 1, out = r } end,
        function() cuda.ones({ 2, 2 }):matmul(cuda.ones { 2, 3 }, { out = r }) end,
        function() cuda.sort(r:reshape(6), { out = r:reshape(6) }) end,
        function() k({ grid = 1, block = 3 }, r) end,
        function() k({ grid = 1, block = 3, ordered = false }, r) end,
        function() k({ grid = 1, block = 3 }, cuda.raw(r)) end,
        function() f(r) end,
        function() f(v) end,
      } do
        helper.contains(helper.error_of(write), "read-only")
      end
      cuda.synchronize()
      assert.same({ 0.0, 1.0, 2.0, 3.0, 4.0, 5.0 }, base:totable())
      assert.matches("set: argument 1 'x': the array is read%-only",
        misuse(k, { grid = 1, block = 3 }, r))
      assert.matches("fill: the array is read%-only; a:copy%(%)", misuse(r.fill, r, 1))
    end)
  end)

  describe("an object with __cuda", function()
    for _, how in ipairs { "metamethod", "field" } do
      it("is an array for kernels, operators and functions: " .. how, function()
        local a = cuda.arange(6, "float32")
        local x = foreign(a, nil, how)
        local k = cuda.kernel [[__global__ void twice(float *x, int n) {
          if (threadIdx.x < n) x[threadIdx.x] *= 2;
        }]]
        k({ grid = 1, block = 32 }, x, 6)
        k:prepare { grid = 1, block = 32 } (x, 6)
        assert.is_true(k:time_ms({ grid = 1, block = 32 }, x, 6) >= 0)
        assert.same({ 0.0, 8.0, 16.0, 24.0, 32.0, 40.0 }, a:totable())
        assert.equal(40.0, cuda.wrap(x):max())
        assert.same({ 1.0, 9.0, 17.0 }, (cuda.add(x, 1)):slice({ 1, 3 }):totable())
        assert.same({ 0.0, 16.0 }, (a + x):slice({ 1, 2 }):totable())
        local c = cuda.array(x)
        assert.is_true(c:equals(a))
        assert.are_not.equal(a.pointer, c.pointer)
        local w = cuda.wrap(x)
        assert.equal(a.pointer, w.pointer)
        cuda.copy(x, cuda.ones(6))
        assert.same({ 1.0, 1.0 }, a:slice({ 1, 2 }):totable())
        local b = cuda.zeros(6)
        b:set(x)
        assert.is_true(b:equals(a))
      end)
    end

    -- Every call gets the same result from the object as from the array.
    describe("is an array for", function()
      local a, m, v, keys, mask
      local twice = function(x) return x * 2 + 1 end
      local calls = {
        sum = function(f) return cuda.sum(f(m)) end,
        ["sum along an axis"] = function(f) return cuda.sum(f(m), { axis = 1 }) end,
        var = function(f) return cuda.var(f(m), { axis = 2 }) end,
        argmax = function(f) return cuda.argmax(f(v)) end,
        reduction = function(f)
          return cuda.reduction("T x", "T y", "x", "a + b", "y = a", "0", "total")(f(m))
        end,
        ["reduction of two"] = function(f)
          local dotted = cuda.reduction("T x, T z", "T y", "x * z", "a + b", "y = a", "0",
            "dotted")
          return dotted(v, f(v), { axis = 1 })
        end,
        scan = function(f) return cuda.scan("T x", "T y", "x", "a + b", 0, "running")(f(v)) end,
        segments = function(f)
          return cuda.scan("T x", "T y", "x", "a + b", 0, "parts")(v, { segments = f(mask) })
        end,
        cumsum = function(f) return cuda.cumsum(f(m), { axis = 1 }) end,
        fuse = function(f) return cuda.fuse(twice)(f(m)) end,
        ["fuse of a sum"] = function(f)
          return cuda.fuse(function(x, y) return (x * y):sum() end)(f(v), 3)
        end,
        sort = function(f) return cuda.sort(f(v)) end,
        argsort = function(f) return cuda.argsort(f(v), { descending = true }) end,
        unique = function(f) return cuda.unique(f(v)) end,
        take = function(f) return cuda.take(f(v), f(keys)) end,
        put = function(f) return cuda.put(v:copy(), f(keys), f(keys:astype "float32")) end,
        compress = function(f) return cuda.compress(f(v), f(mask)) end,
        nonzero = function(f) return (cuda.nonzero(f(v))) end,
        putmask = function(f) return cuda.putmask(f(v:copy()), f(mask), 3) end,
        concatenate = function(f) return cuda.concatenate { f(v), v } end,
        stack = function(f) return cuda.stack { v, f(v) } end,
        matmul = function(f) return cuda.matmul(f(m), f(m:transpose())) end,
        dot = function(f) return cuda.dot(f(v), f(v)) end,
        outer = function(f) return cuda.outer(f(v), v) end,
        trace = function(f) return cuda.trace(f(m)) end,
        searchsorted = function(f) return cuda.searchsorted(f(cuda.arange(5)), f(v)) end,
        digitize = function(f) return cuda.digitize(f(v), f(cuda.arange(5))) end,
        bincount = function(f) return cuda.bincount(f(keys)) end,
        histogram = function(f) return (cuda.histogram(f(v), 4)) end,
        average = function(f) return cuda.average(f(v), { weights = f(v) }) end,
        isclose = function(f) return cuda.isclose(f(v), f(v + 1e-9)) end,
        allclose = function(f) return cuda.allclose(f(v), f(v)) end,
        array_equal = function(f) return cuda.array_equal(f(v), f(v)) end,
        median = function(f) return cuda.median(f(v)) end,
        quantile = function(f) return cuda.quantile(f(v), 0.3) end,
        partition = function(f) return cuda.partition(f(v), 3):slice { 3, 3 } end,
        cov = function(f) return cuda.cov(f(m)) end,
        norm = function(f) return cuda.norm(f(v)) end,
        like = function(f) return cuda.full_like(f(m), 2) end,
        ["like on the host"] = function(f) return cuda.host_like(f(m)):fill(1) end,
        equals = function(f) return m:equals(f(m)) and m:same_shape(f(m)) end,
        memset = function(f) return cuda.memset(f(v:copy()), 0) end,
        permutation = function(f) return cuda.where(f(mask), f(v), 0) end,
      }
      local makes = {
        add = function(o) return cuda.add(m, 1, o) end,
        sum = function(o) return m:sum { axis = 2, keepdims = false, out = o.out } end,
        cumsum = function(o) return m:cumsum { axis = 1, out = o.out } end,
        fuse = function(o) return cuda.fuse(twice)(m, o) end,
        elementwise = function(o)
          return cuda.elementwise("T x", "T y", "y = x", "same")(m, o)
        end,
        ["two outputs"] = function(o)
          return (cuda.elementwise("T x", "T y, T z", "y = x, z = 2 * x", "both")(m,
            { out = { o.out, cuda.empty { 3, 3 } } }))
        end,
        scan = function(o)
          return cuda.scan("T x", "T y", "x", "a + b", 0, "running")(m, { axis = 1, out = o.out })
        end,
        sort = function(o) return cuda.sort(m, o) end,
        take = function(o) return m:take({ 3, 2, 1 }, { axis = 1, out = o.out }) end,
        concatenate = function(o)
          return cuda.concatenate({ m:slice { 1, 1 }, m:slice { 2, 3 } }, o)
        end,
        matmul = function(o) return cuda.matmul(m, m, o) end,
        full = function(o) return cuda.full({ 3, 3 }, 7, o) end,
        array = function(o) return cuda.array({ { 1, 2, 3 }, { 1, 2, 3 }, { 1, 2, 3 } }, o) end,
        eye = function(o) return cuda.eye(3, o) end,
        copy = function(o) return m:copy(o) end,
        astype = function(o) return m:astype("float32", o) end,
      }
      before_each(function()
        a = cuda.arange(9, "float32")
        m, v = a:reshape { 3, 3 }, cuda.array({ 3, 1, 0, 7, 1, 9 }, "float32")
        keys, mask = cuda.array({ 6, 1, 3 }, "int64"), v:gt(1)
      end)
      after_each(function() a, m, v, keys, mask = nil, nil, nil, nil, nil end)

      local function plain(x) return type(x) == "userdata" and x:totable() or x end
      for name, call in pairs(calls) do
        it(name, function()
          assert.same(plain(call(function(x) return x end)), plain(call(foreign)))
        end)
      end
      for name, make in pairs(makes) do
        it("option 'out' of " .. name, function()
          local want = plain(make {})
          local own = cuda.zeros(name == "sum" and 3 or { 3, 3 })
          local got = make { out = foreign(own) }
          assert.same(want, own:totable())
          assert.equal(own.pointer, got.pointer)
        end)
      end
    end)

    it("has to be wrapped for views, textures and cuda.register", function()
      local v = cuda.arange(6, "float32")
      local x = foreign(v:gt(1))
      getmetatable(x).__name = "Tensor"
      helper.contains(misuse(function() return v[x] end), "got Tensor")
      helper.contains(misuse(cuda.register, x), "expected Array, got Tensor")
      helper.contains(misuse(cuda.texture, x), "expected CuArray or Array, got Tensor")
      assert.equal(4, #v[cuda.wrap(x)])
    end)

    it("may describe a view, host memory, or memory to read only", function()
      local a = cuda.arange(6, "int32"):reshape { 2, 3 }:transpose()
      assert.same({ { 0, 3 }, { 1, 4 }, { 2, 5 } }, cuda.array(foreign(a)):totable())
      local h = cuda.host(4, "int16"):fill(3)
      local w = cuda.wrap(foreign(h, { memory = "host", device = false }))
      w[2] = 5
      assert.equal(5, h[2])
      helper.contains(misuse(function() cuda.wrap(foreign(a, { readonly = true })):fill(1) end),
        "read-only")
    end)

    it("lives as long as the array, with the owner that it names", function()
      local watch = setmetatable({}, { __mode = "v" })
      local function wrapped()
        local a, owner = cuda.ones(3), {}
        local x = foreign(a, { owner = owner })
        watch.object, watch.owner = x, owner
        return cuda.wrap(x):slice { 2, 3 }
      end
      local w = wrapped()
      collectgarbage()
      assert.is_table(watch.object)
      assert.is_table(watch.owner)
      assert.same({ 1.0, 1.0 }, w:totable())
      w = nil
      collectgarbage()
      collectgarbage()
      assert.is_nil(watch.object)
      assert.is_nil(watch.owner or w)
    end)

    it("that describes it wrongly is refused", function()
      local a = cuda.ones(3)
      local function wrap(fields) return misuse(cuda.wrap, foreign(a, fields)) end
      assert.matches("__cuda of a table: expected a table { pointer =, shape =, dtype = }, got nil",
        misuse(cuda.wrap, setmetatable({}, { __cuda = function() end })))
      assert.matches("__cuda of a table: the dtype is missing", wrap { dtype = false })
      assert.matches("__cuda of a table: expected a function, got number",
        misuse(cuda.sum, { __cuda = 1 }))
      assert.matches("'shape'", wrap { shape = false })
      assert.matches("'address': expected an integer, got nil", wrap { pointer = false })
      assert.matches("unknown option 'typestr'", wrap { typestr = "<f4" })
      assert.matches("is not memory of", wrap { pointer = 0x1000 })
      assert.matches("float33", wrap { dtype = "float33" })
      local bad = setmetatable({}, { __cuda = function() error "no memory today" end })
      helper.contains(helper.error_of(cuda.array, bad), "no memory today")
      local k = cuda.kernel [[__global__ void none(float *x) {}]]
      helper.contains(helper.error_of(k, { grid = 1, block = 1 }, bad), "no memory today")
      assert.matches("argument 1 'x': expected float32 array",
        misuse(k, { grid = 1, block = 1 }, foreign(cuda.ones(3, "int32"))))
      assert.matches("expected float32 array", misuse(k, { grid = 1, block = 1 }, {}))
    end)
  end)

  describe("register", function()
    it("takes any host memory", function()
      local h = cuda.host(1000, "int32", { zeros = true })
      local w = cuda.wrap(h.pointer + 400, { 30, 10 }, "int32", { memory = "host", owner = h })
      local r = cuda.register(w)
      assert.equal("registered", r.memory)
      assert.same({ 30, 10 }, r.shape)
      local k = cuda.kernel [[__global__ void put(int *x) { x[threadIdx.x] = threadIdx.x; }]]
      k({ grid = 1, block = 300, stream = device.stream }, r)
      assert.equal(299, r:item(30, 10))
      assert.equal(7, h[108])
      local watch = setmetatable({ h }, { __mode = "v" })
      h = nil
      w:free()
      w = nil
      collectgarbage()
      collectgarbage()
      assert.is_not_nil(watch[1])
      assert.equal(299, r[30][10])
      r:free()
      r = nil
      collectgarbage()
      collectgarbage()
      assert.is_nil(watch[1] or h or w or r)
    end)

    it("takes arrays of the CPU device", function()
      local r <close> = cuda.register(cuda.ones(5, { device = "cpu" }))
      assert.equal(1.0, r[5])
    end)

    it("takes memory once at a time", function()
      local h = cuda.host(100, "uint8")
      local r = cuda.register(h)
      local taken = "an array that cuda.register returned holds this memory already"
      helper.contains(misuse(cuda.register, h), taken)
      assert.matches("argument 1: expected Array, got integer", misuse(cuda.register, 5))
      assert.matches("unknown option 'readonly'; did you mean 'read_only'",
        misuse(cuda.register, h, { readonly = true }))
      assert.matches("'read_only': expected a boolean", misuse(cuda.register, h, { read_only = 5 }))
      helper.contains(misuse(cuda.register, h:slice { 100, 100 }), taken)
      assert.matches("in registered memory", misuse(cuda.register, r))
      r:free()
      cuda.register(h):free()
      local part <close> = cuda.register(h:slice { 1, 50 })
      cuda.register(h:slice { 51, 100 }):free()
      assert.equal(50, #part)
      assert.equal(0, cuda.register(cuda.host(0)).size)
    end)

    it("refuses memory of other kinds, and views with gaps", function()
      assert.matches("in pinned memory", misuse(cuda.register, cuda.pinned(3)))
      assert.matches("got a view with gaps", misuse(cuda.register, cuda.host({ 2, 2 }):transpose()))
      if device.kind ~= "cpu" then
        assert.matches("in device memory", misuse(cuda.register, cuda.ones(3)))
      end
      assert.matches("unknown option 'readonly'",
        misuse(cuda.register, cuda.host(3), { readonly = true }))
    end)

    it("may be for reading only", function()
      local h = cuda.host(100, "int32"):fill(2)
      local ok, r = pcall(cuda.register, h, { read_only = true })
      if not ok then return helper.contains(r, "cannot register memory for reading only") end
      assert.is_true(r.is_readonly)
      assert.equal(200, r:sum())
      helper.contains(misuse(r.fill, r, 3), "read-only")
      h[1] = 5
      assert.equal(5, r[1])
      r:free()
    end)
  end)
end)
