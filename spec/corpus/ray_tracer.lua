-- A ray tracer: spheres in constant memory, mirrors by a loop with a weight, shadows, float3
-- functions; computed in double precision in both languages.
local W, H = 40, 30

local SPHERES = { -- center, radius, mirror
  { 0, 0, 5, 1, 0.4 }, { 1.5, 0.5, 4, 0.7, 0 }, { -1.4, -0.3, 4.2, 0.8, 0.8 },
  { 0, -101, 5, 100, 0.2 },
}

return {
  source = [[
    struct sphere { double x, y, z, r, mirror; };
    __constant__ double numbers[20];
    struct v3 { double x, y, z; };
    __device__ v3 operator+(v3 a, v3 b) { return { a.x + b.x, a.y + b.y, a.z + b.z }; }
    __device__ v3 operator-(v3 a, v3 b) { return { a.x - b.x, a.y - b.y, a.z - b.z }; }
    __device__ v3 operator*(v3 a, double s) { return { a.x * s, a.y * s, a.z * s }; }
    __device__ double dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
    __device__ v3 unit(v3 a) { return a * (1 / sqrt(dot(a, a))); }
    __device__ int nearest(v3 from, v3 way, double *distance) {
      int best = -1;
      for (int k = 0; k < 4; k++) {
        const double *s = numbers + 5 * k;
        v3 to = v3{ s[0], s[1], s[2] } - from;
        double b = dot(to, way), d = b * b - dot(to, to) + s[3] * s[3];
        if (d < 0) continue;
        double t = b - sqrt(d);
        if (t < 1e-6) t = b + sqrt(d);
        if (t > 1e-6 && (best < 0 || t < *distance)) {
          best = k;
          *distance = t;
        }
      }
      return best;
    }
    __global__ void render(double *image, int w, int h) {
      int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
      if (x >= w || y >= h) return;
      v3 from = { 0, 0, 0 }, way = unit({ (x - w / 2.0) / w, (h / 2.0 - y) / w, 1 });
      v3 light = unit({ -1, 2, -1.5 });
      double color = 0, weight = 1;
      for (int bounce = 0; bounce < 4; bounce++) {
        double t = 0;
        int k = nearest(from, way, &t);
        if (k < 0) {
          color += weight * (0.5 + 0.5 * way.y);
          break;
        }
        const double *s = numbers + 5 * k;
        v3 p = from + way * t, n = (p - v3{ s[0], s[1], s[2] }) * (1 / s[3]);
        double lit = fmax(dot(n, light), 0.0), far;
        if (lit > 0 && nearest(p, light, &far) >= 0) lit = 0;
        color += weight * (1 - s[4]) * (0.1 + 0.9 * lit);
        weight *= s[4];
        if (weight == 0) break;
        from = p;
        way = way - n * (2 * dot(n, way));
      }
      image[y * w + x] = color;
    }]],
  run = function(kernels, t)
    local numbers = {}
    for _, s in ipairs(SPHERES) do table.move(s, 1, 5, #numbers + 1, numbers) end
    t.module:global "numbers":set(numbers)
    local image = t.cuda.empty(W * H, "float64")
    kernels.render({ threads = { W, H } }, image, W, H)
    local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
    local function along(a, b, s) return { a[1] + b[1] * s, a[2] + b[2] * s, a[3] + b[3] * s } end
    local function unit(a) return along({ 0, 0, 0 }, a, 1 / math.sqrt(dot(a, a))) end
    local function nearest(from, way)
      local best, distance
      for _, s in ipairs(SPHERES) do
        local to = along(s, from, -1)
        local b = dot(to, way)
        local d = b * b - dot(to, to) + s[4] * s[4]
        if d >= 0 then
          local at = b - math.sqrt(d)
          if at < 1e-6 then at = b + math.sqrt(d) end
          if at > 1e-6 and (not best or at < distance) then best, distance = s, at end
        end
      end
      return best, distance
    end
    local light = unit { -1, 2, -1.5 }
    local function color_of(x, y)
      local from, way = { 0, 0, 0 }, unit { (x - W / 2) / W, (H / 2 - y) / W, 1 }
      local color, weight = 0, 1
      for _ = 1, 4 do
        local s, at = nearest(from, way)
        if not s then return color + weight * (0.5 + 0.5 * way[2]) end
        local p = along(from, way, at)
        local n = along({ 0, 0, 0 }, along(p, s, -1), 1 / s[4])
        local lit = math.max(dot(n, light), 0)
        if lit > 0 and nearest(p, light) then lit = 0 end
        color = color + weight * (1 - s[5]) * (0.1 + 0.9 * lit)
        weight = weight * s[5]
        from, way = p, along(way, n, -2 * dot(n, way))
      end
      return color
    end
    -- Rounding decides on which side of an edge a few pixels are.
    local got, different = image:totable(), 0
    for i = 1, W * H do
      local want = color_of((i - 1) % W, (i - 1) // W)
      if math.abs(want - got[i]) > 1e-9 then different = different + 1 end
    end
    assert(different <= 3, different .. " pixels differ")
  end,
}
