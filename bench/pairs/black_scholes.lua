-- black_scholes: prices of European options; an array has the calls and the puts.
local cuda = require "luacuda"

local RATE, VOLATILITY = 0.02, 0.3

local pair = { name = "black_scholes", gpu = 1 << 24, cpu = 1 << 16, tolerance = 1e-4 }

local function normal(d) return 0.5 + 0.5 * cuda.erf(d * 0.70710678) end

function pair.lua(price, spot, strike, years)
  for i in grid(#spot) do
    local S, K, t = spot[i], strike[i], years[i]
    local spread = VOLATILITY * math.sqrt(t)
    local d1 = (math.log(S / K) + (RATE + VOLATILITY ^ 2 / 2) * t) / spread
    local d2 = d1 - spread
    local later = K * math.exp(-RATE * t)
    price[1][i] = S * normal(d1) - later * normal(d2)
    price[2][i] = later * normal(-d2) - S * normal(-d1)
  end
end

pair.cuda = [==[
  __device__ float normal(float d) { return 0.5f + 0.5f * erff(d * 0.70710678f); }
  __global__ void black_scholes(float *__restrict__ price, const float *__restrict__ spot,
                                const float *__restrict__ strike, const float *__restrict__ years,
                                int n) {
    const float RATE = 0.02f, VOLATILITY = 0.3f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float S = spot[i], K = strike[i], t = years[i];
    float spread = VOLATILITY * sqrtf(t);
    float d1 = (logf(S / K) + (RATE + VOLATILITY * VOLATILITY / 2) * t) / spread;
    float d2 = d1 - spread;
    float later = K * expf(-RATE * t);
    price[i] = S * normal(d1) - later * normal(d2);
    price[n + i] = later * normal(-d2) - S * normal(-d1);
  }]==]

local function between(low, high, n) return low + (high - low) * cuda.random.uniform(n) end

function pair.arrays(n)
  return { spot = between(5, 30, n), strike = between(10, 90, n), years = between(0.25, 10, n),
    out = cuda.zeros { 2, n } }
end
function pair.launch(n) return { threads = n, block = 256 } end
function pair.for_lua(t) return t.out, t.spot, t.strike, t.years end
function pair.for_cuda(t, n) return t.out, t.spot, t.strike, t.years, n end

return pair
