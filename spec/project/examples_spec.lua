-- Each example runs on every device and is checked against the same computation in Lua, in double
-- precision.
local helper = require "spec.helper"
local cuda = require "luacuda"
local examples = require "spec.support.examples"
local sampling = require "spec.support.sampling"

local run, png_size = examples.run, examples.png_size

-- The reference for edges.lua: flat lists, row by row.
local function clamp(i, n) return math.max(0, math.min(i, n - 1)) end

local function brightness(bytes)
  local gray = {}
  for i = 1, #bytes // 3 do
    local r, g, b = bytes:byte(3 * i - 2, 3 * i)
    gray[i] = (0.299 * r + 0.587 * g + 0.114 * b) / 255
  end
  return gray
end

local function convolve(pixels, width, height, weight, dx, dy)
  local out, radius = {}, #weight // 2
  for y = 0, height - 1 do
    for x = 0, width - 1 do
      local sum = 0
      for k = -radius, radius do
        sum = sum + weight[k + radius + 1] * pixels[clamp(y + k * dy,
          height) * width + clamp(x + k * dx, width) + 1]
      end
      out[#out + 1] = sum
    end
  end
  return out
end

local function sobel(pixels, width, height)
  local smooth, slope = { 1, 2, 1 }, { -1, 0, 1 }
  local gx = convolve(convolve(pixels, width, height, smooth, 0, 1), width, height, slope, 1, 0)
  local gy = convolve(convolve(pixels, width, height, smooth, 1, 0), width, height, slope, 0, 1)
  local rgb = {}
  for i = 1, #pixels do
    local strength = math.min(math.sqrt(gx[i] ^ 2 + gy[i] ^ 2) * 400, 255)
    local angle = math.atan(gy[i], gx[i])
    for c = 0, 2 do
      rgb[#rgb + 1] = math.floor(strength * (0.5 + 0.5 * math.cos(2 * angle - c * 2.0943951)))
    end
  end
  return rgb
end

local function flat(array) return array:reshape(array.size):totable() end

-- A part of the photograph in a separate file.
local function cropped_photo(width, height)
  local path = helper.tmpdir() .. "/piece.png"
  local piece = cuda.load_png "examples/data/coffee.png":slice({ 31, 30 + height },
    { 181, 180 + width })
  piece:save_png(path)
  return path, piece:tobytes()
end

local function device_examples(device)
  describe("example", function()
    it("saxpy", function()
      local y = run("saxpy", 1000)[1]
      local want = {}
      for i = 1, 1000 do want[i] = 2 * (i - 1) + 1.0 end
      assert.are.same(want, y:totable())
      assert.are.equal(device.name, y.device.name)
    end)

    for _, case in ipairs { { 2, 16, "float" }, { 1, 8, "float" }, { 4, 16, "double" } } do
      local radius, tile, type_name = table.unpack(case)
      it(("edges, radius %d, tile %d, %s"):format(radius, tile, type_name), function()
        local width, height = 61, 43
        local photo, bytes = cropped_photo(width, height)
        local out = photo .. ".png"
        local _, gray, blurred, edges, weight = table.unpack(
          run("edges", photo, out, radius, tile, type_name))
        local tolerance = type_name == "double" and 1e-12 or 2e-6
        local want = brightness(bytes)
        helper.assert_close(want, flat(gray), { atol = tolerance, rtol = tolerance })
        assert.are.equal(2 * radius + 1, #weight)
        want = convolve(convolve(want, width, height, weight, 1, 0), width, height, weight, 0, 1)
        helper.assert_close(want, flat(blurred), { atol = tolerance, rtol = tolerance })
        helper.assert_close(sobel(want, width, height), flat(edges), { atol = 1, rtol = 0 })
        assert.are.same({ 2 * width, height }, { png_size(out) })
      end)
    end

    it("edges of the whole photograph", function()
      local out = helper.tmpdir() .. "/edges.png"
      local results = run("edges", nil, out)
      assert.are.same({ 1080, 360 }, { png_size(out) })
      assert.truthy(results.printed:find(device.name, 1, true))
      assert.truthy(results.printed:match "compiled%s+[%d.]+ ms, from the cache [%d.]+ ms")
    end)

    it("rotate", function()
      local width, height = 61, 43
      local photo, bytes = cropped_photo(width, height)
      local out = photo .. ".png"
      local got = run("rotate", 25, photo, out)[1]:totable()
      local angle, opts = math.rad(25), { filter = "linear", address = "border" }
      local sine, cosine = math.sin(angle), math.cos(angle)
      local channels = {}
      for c = 1, 3 do
        channels[c] = {}
        for y = 1, height do
          channels[c][y] = {}
          for x = 1, width do
            channels[c][y][x] = bytes:byte(3 * ((y - 1) * width + x - 1) + c)
          end
        end
      end
      local want = {}
      for y = 1, height do
        want[y] = {}
        for x = 1, width do
          local u, v = x - 0.5 - width / 2, y - 0.5 - height / 2
          local at = { u * cosine + v * sine + width / 2, v * cosine - u * sine + height / 2 }
          want[y][x] = {}
          for c = 1, 3 do want[y][x][c] = sampling.fetch(channels[c], at, opts) end
        end
      end
      helper.assert_close(want, got, { atol = 2, rtol = 0 })
      assert.are.same({ width, height }, { png_size(out) })
    end)

    it("mandelbrot", function()
      local width, height, limit = 96, 64, 60
      local out = helper.tmpdir() .. "/mandelbrot.png"
      local steps, rgb = table.unpack(run("mandelbrot", width, out, limit))
      local got, different = flat(steps), 0
      for y = 0, height - 1 do
        for x = 0, width - 1 do
          local scale = 3 / width
          local cr, ci = (x - 0.5 * width) * scale - 0.7, (y - 0.5 * height) * scale
          local zr, zi, n = 0.0, 0.0, 0
          while n < limit and zr * zr + zi * zi <= 4 do
            zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
            n = n + 1
          end
          if got[y * width + x + 1] ~= n then different = different + 1 end
        end
      end
      -- Points on the border are chaotic: there floats may escape a step earlier or later.
      assert.is_true(different <= width * height // 100, different .. " pixels differ")
      local want = {}
      for i, n in ipairs(got) do
        for c = 0, 2 do
          local t = math.sqrt(n / limit) * 6.2831853
          want[3 * i - 2 + c] = n == limit and 0
            or math.floor(127.5 - 127.5 * math.cos(t + 0.7 * c))
        end
      end
      helper.assert_close(want, flat(rgb), { atol = 1, rtol = 0 })
      assert.are.same({ width, height }, { png_size(out) })
    end)

    for _, case in ipairs { { 37, 29, 41, 16 }, { 8, 40, 9, 8 } } do
      it("matmul, " .. table.concat(case, " x "), function()
        local A, B, C = table.unpack(run("matmul", table.unpack(case)))
        local a, b, want = A:totable(), B:totable(), {}
        for i = 1, case[1] do
          want[i] = {}
          for j = 1, case[2] do
            local sum = 0.0
            for l = 1, case[3] do sum = sum + a[i][l] * b[l][j] end
            want[i][j] = sum
          end
        end
        assert.are.same(want, C:totable()) -- eighths and sixteenths: every sum is exact in floats
      end)
    end

    it("tune", function()
      local path = helper.tmpdir() .. "/times.svg"
      local results = run("tune", 45, 37, path)
      local from, to, result = table.unpack(results)
      local rows, want = from:totable(), {}
      for j = 1, 37 do
        want[j] = {}
        for i = 1, 45 do want[j][i] = rows[i][j] end
      end
      assert.are.same(want, to:totable())
      assert.are.equal(22, #result.rows)
      for _, row in ipairs(result.rows) do assert.are.equal("ok", row.state, row.reason) end
      assert.matches("^transpose on [%w]+: PAD=", results.printed)
      assert.matches("^<svg", helper.read_file(path))
    end)

    it("sum by warp shuffles", function()
      local x, total = table.unpack(run("warp_sum", 12345))
      local want = 0
      for _, v in ipairs(x:totable()) do want = want + v end
      assert.are.equal(want, total:item(1))
      assert.are.equal(12 * 499500 + 345 * 346 // 2, want)
    end)

    -- Kernels that launch kernels are linked with a library of the toolkit.
    local function run_linked(...)
      local results = table.pack(pcall(run, ...))
      if not results[1] and tostring(results[2]):find("libcudadevrt", 1, true) then
        pending "no cudadevrt"
      end
      assert(results[1], tostring(results[2]))
      return results[2]
    end

    it("quicksort", function()
      local x, sorted = table.unpack(run_linked("quicksort", 5000))
      local want = x:totable()
      table.sort(want)
      assert.are.same(want, sorted:totable())
    end)

    it("quadtree", function()
      local points, squares, used, crowd, levels = table.unpack(run_linked("quadtree", 700))
      local p, s, found = points:totable(), squares:totable(), 0
      local function visit(at, depth)
        local q = s[at + 1]
        if q.child >= 0 then
          assert.is_true(q.count > crowd and depth < levels)
          for k = 0, 3 do
            local quarter = s[q.child + k + 1]
            assert.are.same({ q.x + q.size / 2 * (k % 2), q.y + q.size / 2 * (k // 2), q.size / 2 },
              { quarter.x, quarter.y, quarter.size })
            visit(q.child + k, depth + 1)
          end
          return
        end
        assert.is_true(q.count <= crowd or depth == levels)
        assert.are.equal(found, q.first)
        found = found + q.count
        for i = q.first + 1, found do
          local x, y = p[i][1], p[i][2]
          assert.is_true(x >= q.x and x < q.x + q.size and y >= q.y and y < q.y + q.size)
        end
      end
      visit(0, 0)
      assert.are.equal(700, found)
      assert.is_true(used[1] > 50)
    end)

    it("histogram", function()
      local bytes, counts = table.unpack(run "histogram")
      local want, text = {}, bytes:tobytes()
      for i = 1, 256 do want[i] = 0 end
      for i = 1, #text do
        local v = text:byte(i) + 1
        want[v] = want[v] + 1
      end
      assert.are.same(want, counts:totable())
    end)

    it("n-body", function()
      local start, position, velocity, options = table.unpack(run("nbody", 150, 3))
      local p, v, n = start:totable(), {}, 150
      for i = 1, n do v[i] = { 0, 0, 0, 0 } end
      for _ = 1, options.steps do
        local moved = {}
        for i = 1, n do
          local pull = { 0, 0, 0 }
          for j = 1, n do
            local d = { p[j][1] - p[i][1], p[j][2] - p[i][2], p[j][3] - p[i][3] }
            local r2 = d[1] ^ 2 + d[2] ^ 2 + d[3] ^ 2 + options.softening ^ 2
            for c = 1, 3 do pull[c] = pull[c] + p[j][4] * d[c] / (r2 * math.sqrt(r2)) end
          end
          for c = 1, 3 do v[i][c] = v[i][c] + pull[c] * options.dt end
          moved[i] = { p[i][1] + v[i][1] * options.dt, p[i][2] + v[i][2] * options.dt,
            p[i][3] + v[i][3] * options.dt, p[i][4] }
        end
        p = moved
      end
      helper.assert_close(p, position:totable(), { rtol = 1e-5, atol = 1e-5 })
      helper.assert_close(v, velocity:totable(), { rtol = 1e-4, atol = 1e-4 })
    end)

    it("a struct argument", function()
      local out, again, w = table.unpack(run("struct_arg", 200))
      local want = {}
      for i = 0, 199 do
        local sum = 0
        for h = 1, w.harmonics do
          sum = sum + math.sin(6.283185307179586 * w.frequency * h * i / 200 + w.phase) / h
        end
        want[i + 1] = w.amplitude * sum
      end
      helper.assert_close(want, out:totable(), { dtype = "float32" })
      assert.is_true(out:equals(again))
    end)

    it("several kernels with a __constant__ table", function()
      local x, value, slope, root, c = table.unpack(run("polynomial", 101))
      local want_value, want_slope = {}, {}
      for i, at in ipairs(x:totable()) do
        local v, s = 0, 0
        for k = #c, 1, -1 do v, s = v * at + c[k], s * at + v end
        want_value[i], want_slope[i] = v, s
      end
      helper.assert_close(want_value, value:totable(), { rtol = 1e-5, atol = 1e-6 })
      helper.assert_close(want_slope, slope:totable(), { rtol = 1e-5, atol = 1e-6 })
      for _, at in ipairs(root:totable()) do
        local v = 0
        for k = #c, 1, -1 do v = v * at + c[k] end
        assert.is_true(math.abs(v) < 1e-5)
      end
    end)

    it("pi from random points", function()
      local results = run("pi", 20011, 3)
      local x, y, want = results[1]:totable(), results[2]:totable(), 0
      for i = 1, 20011 do
        if x[i] * x[i] + y[i] * y[i] < 1 then want = want + 1 end
      end
      -- a point on the rim may be rounded to either side
      assert.is_true(math.abs(results[3] - want) <= 1)
      assert.near(math.pi, tonumber(results.printed:match "pi is ([%d.]+)"), 0.05)
    end)

    it("heat in a plate", function()
      local n = 21
      local now, rate, steps = table.unpack(run("heat", n, 60))
      local u = {}
      for i = 1, n do
        u[i] = {}
        for j = 1, n do u[i][j] = i == 1 and 100.0 or 0.0 end
      end
      for _ = 1, steps do
        local later = { u[1], [n] = u[n] }
        for i = 2, n - 1 do
          later[i] = { u[i][1], [n] = u[i][n] }
          for j = 2, n - 1 do
            later[i][j] = u[i][j] + rate * (
              u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j])
          end
        end
        u = later
      end
      helper.assert_close(u, now, { rtol = 1e-5, atol = 1e-4 })
    end)

    -- Gaussian elimination, where the example iterates.
    local function solve(a, b)
      local n = #b
      for k = 1, n do
        for i = k + 1, n do
          local factor = a[i][k] / a[k][k]
          for j = k, n do a[i][j] = a[i][j] - factor * a[k][j] end
          b[i] = b[i] - factor * b[k]
        end
      end
      for k = n, 1, -1 do
        for j = k + 1, n do b[k] = b[k] - a[k][j] * b[j] end
        b[k] = b[k] / a[k][k]
      end
      return b
    end

    it("a graph that iterates until it has solved its equations", function()
      local n, u = 8, {}
      local now, rate, steps, counts = table.unpack(run("graph", n, 3))
      local function at(x, y) return x >= 1 and x <= n and y >= 1 and y <= n and y * n - n + x end
      for y = 1, n do
        for x = 1, n do
          local hot = x > n // 4 and x <= n // 2 and y > n // 4 and y <= n // 2
          u[at(x, y)] = hot and 100 or 0
        end
      end
      for i = 1, steps do
        local a = {}
        for y = 1, n do
          for x = 1, n do
            local row = {}
            for j = 1, n * n do row[j] = 0 end
            row[at(x, y)] = 1 + 4 * rate
            for _, near in ipairs { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } } do
              local j = at(x + near[1], y + near[2])
              if j then row[j] = -rate end
            end
            a[at(x, y)] = row
          end
        end
        u = solve(a, u)
        assert.is_true(counts[i] > 3 and counts[i] <= n * n)
      end
      helper.assert_close(u, now:reshape { n * n }, { dtype = "float64", rtol = 1e-6, atol = 1e-6 })
    end)

    it("the colors of a photograph by k-means", function()
      local width, height, k, steps = 29, 23, 4, 3
      local photo, bytes = cropped_photo(width, height)
      local out = photo .. ".png"
      local pixels, first, colors, labels, picture = table.unpack(
        run("kmeans", photo, out, k, steps))
      assert.are.same({ bytes:byte(1, -1) }, flat(pixels))
      local p, want, label = pixels:totable(), first:totable(), {}
      for _ = 1, steps do
        local sums = {}
        for c = 1, k do sums[c] = { 0, 0, 0, n = 0 } end
        for i, x in ipairs(p) do
          local least = math.huge
          for c, y in ipairs(want) do
            local d = (x[1] - y[1]) ^ 2 + (x[2] - y[2]) ^ 2 + (x[3] - y[3]) ^ 2
            if d < least then least, label[i] = d, c end
          end
          local s = sums[label[i]]
          s[1], s[2], s[3], s.n = s[1] + x[1], s[2] + x[2], s[3] + x[3], s.n + 1
        end
        for c, s in ipairs(sums) do
          if s.n > 0 then want[c] = { s[1] / s.n, s[2] / s.n, s[3] / s.n } end
        end
      end
      helper.assert_close(want, colors, { rtol = 1e-5, atol = 0 })
      assert.are.same(label, labels:totable())
      local shown = picture:totable()
      for i, c in ipairs(label) do
        helper.assert_close(want[c], shown[i], { rtol = 0, atol = 0.501 })
      end
      assert.are.same({ width, height }, { png_size(out) })
    end)

    it("two streams with events and pinned copies", function()
      local results = run("streams", 5, 1003)
      local input, output = results[1], results[2]
      assert.are.equal("pinned", input.memory)
      local want = {}
      for i = 1, 5 * 1003 do want[i] = (i % 50.0) ^ 3 end
      assert.are.same(want, output:totable())
      assert.truthy(results.printed:match "in [%d.]+ ms")
    end)
  end)
end

helper.for_each_device(device_examples)
