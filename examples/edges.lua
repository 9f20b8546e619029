-- Finds the edges in a photograph by brightness, Gaussian blur and Sobel gradient. The color of an
-- edge shows its direction.   Arguments: [PHOTO.png [OUT.png [RADIUS [TILE [TYPE]]]]]
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
local cuda = require "luacuda"

local photo, out, RADIUS, TILE, T = ...
photo, out, T = photo or here .. "data/coffee.png", out or "edges.png", T or "float"
RADIUS, TILE = math.tointeger(tonumber(RADIUS) or 2), math.tointeger(tonumber(TILE) or 16)

local source = cuda.template [==[
  // Loads a tile and `margin` pixels around it. Pixels outside the picture repeat its border.
  template <int margin>
  __device__ void load($(T) (*tile)[$(TILE) + 2 * margin], const $(T) *in, int width, int height) {
    for (int ty = threadIdx.y; ty < $(TILE) + 2 * margin; ty += $(TILE))
      for (int tx = threadIdx.x; tx < $(TILE) + 2 * margin; tx += $(TILE)) {
        int x = min(max((int)blockIdx.x * $(TILE) + tx - margin, 0), width - 1);
        int y = min(max((int)blockIdx.y * $(TILE) + ty - margin, 0), height - 1);
        tile[ty][tx] = in[y * width + x];
      }
    __syncthreads();
  }

  __global__ void brightness(const unsigned char *rgb, $(T) *gray, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned char *p = rgb + 3 * i;
    if (i < n) gray[i] = ($(T))(0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2]) / 255;
  }

  // Blurs along the rows of the tile first, then along its columns.
  __global__ void blur(const $(T) *in, $(T) *out, int width, int height) {
    __shared__ $(T) tile[$(TILE + 2 * RADIUS)][$(TILE + 2 * RADIUS)];
    __shared__ $(T) rows[$(TILE + 2 * RADIUS)][$(TILE)];
    load<$(RADIUS)>(tile, in, width, height);
    int tx = threadIdx.x, x = blockIdx.x * $(TILE) + tx, y = blockIdx.y * $(TILE) + threadIdx.y;
    for (int ty = threadIdx.y; ty < $(TILE + 2 * RADIUS); ty += $(TILE))
      rows[ty][tx] = 0
  @ for k = 0, 2 * RADIUS do
        + ($(T))$(weight[k + 1]) * tile[ty][tx + $(k)]
  @ end
        ;
    __syncthreads();
    $(T) sum = 0;
  @ for k = 0, 2 * RADIUS do
    sum += ($(T))$(weight[k + 1]) * rows[threadIdx.y + $(k)][tx];
  @ end
    if (x < width && y < height) out[y * width + x] = sum;
  }

  __global__ void sobel(const $(T) *in, unsigned char *rgb, int width, int height) {
    __shared__ $(T) t[$(TILE + 2)][$(TILE + 2)];
    load<1>(t, in, width, height);
    int i = threadIdx.x + 1, j = threadIdx.y + 1;
    int x = blockIdx.x * $(TILE) + i - 1, y = blockIdx.y * $(TILE) + j - 1;
    if (x >= width || y >= height) return;
    $(T) gx = t[j - 1][i + 1] + 2 * t[j][i + 1] + t[j + 1][i + 1]
      - t[j - 1][i - 1] - 2 * t[j][i - 1] - t[j + 1][i - 1];
    $(T) gy = t[j + 1][i - 1] + 2 * t[j + 1][i] + t[j + 1][i + 1]
      - t[j - 1][i - 1] - 2 * t[j - 1][i] - t[j - 1][i + 1];
    $(T) strength = min(sqrt(gx * gx + gy * gy) * 400, ($(T))255), angle = atan2(gy, gx);
    for (int c = 0; c < 3; c++) {
      $(T) share = ($(T))(0.5 + 0.5 * cos(2 * angle - c * ($(T))2.0943951));
      rgb[3 * (y * width + x) + c] = (unsigned char)(strength * share);
    }
  }]==]

local weight, total = {}, 0 -- a Gaussian that reaches its edge at RADIUS
for k = -RADIUS, RADIUS do
  weight[#weight + 1] = math.exp(-2 * (k / (RADIUS + 0.5)) ^ 2)
  total = total + weight[#weight]
end
for k, w in ipairs(weight) do weight[k] = w / total end

local text = source { T = T, RADIUS = RADIUS, TILE = TILE, weight = weight }
local function compiled(options)
  local started = os.clock()
  local module = cuda.module(text, options)
  module:compile()
  return module, (os.clock() - started) * 1e3
end
local _, cold_ms = compiled { cache = false }
local module = compiled()
local _, cached_ms = compiled()

local rgb = cuda.load_png(photo)
local height, width = rgb.shape[1], rgb.shape[2]
local gray = cuda.empty({ height, width }, T == "double" and "float64" or "float32")
local blurred, edges = cuda.empty_like(gray), cuda.empty({ height, width, 3 }, "uint8")

local k, tiles = module.kernels, { threads = { width, height }, block = { TILE, TILE } }
local times = {
  k.brightness:time_ms({ threads = gray.size }, rgb, gray, gray.size),
  k.blur:time_ms(tiles, gray, blurred, width, height),
  k.sobel:time_ms(tiles, blurred, edges, width, height),
}

cuda.concatenate({ rgb, edges }, { axis = 2 }):save_png(out) -- side by side

print("device        " .. gray.device.name)
print(("picture       %s, %d x %d"):format(photo, width, height))
print(("compiled      %.1f ms, from the cache %.1f ms"):format(cold_ms, cached_ms))
print(("kernels       brightness %.3f ms, blur %.3f ms, Sobel %.3f ms"):format(table.unpack(times)))
print("written       " .. out)

return rgb, gray, blurred, edges, weight
