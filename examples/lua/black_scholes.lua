-- Prices of European options by the formula of Black and Scholes.   Arguments: [N]
local cuda = require "luacuda"

local n = math.tointeger(tonumber((...)) or 50000)
local RATE, VOLATILITY = 0.02, 0.3

-- The normal distribution. cuda.erf is a function of arrays outside of kernels and of numbers
-- inside, so this function works in both places.
local function normal(d) return 0.5 + 0.5 * cuda.erf(d / 2 ^ 0.5) end

local price = cuda.jit(function(call, put, spot, strike, years)
  for i in grid(#call) do
    local S, K, t = spot[i], strike[i], years[i]
    local spread = VOLATILITY * math.sqrt(t)
    local d1 = (math.log(S / K) + (RATE + VOLATILITY ^ 2 / 2) * t) / spread
    local d2 = d1 - spread
    local later = K * math.exp(-RATE * t)
    call[i] = S * normal(d1) - later * normal(d2)
    put[i] = later * normal(-d2) - S * normal(-d1)
  end
end)

local spot, strike = cuda.linspace(5, 30, n, "float32"), cuda.linspace(90, 10, n, "float32")
local years = cuda.linspace(0.25, 10, n, "float32")
local call, put = cuda.empty(n), cuda.empty(n)
price({ threads = n }, call, put, spot, strike, years)

-- The same with functions of arrays.
local spread = VOLATILITY * cuda.sqrt(years)
local d1 = (cuda.log(spot / strike) + (RATE + VOLATILITY ^ 2 / 2) * years) / spread
local later = strike * cuda.exp(-RATE * years)
assert(call:allclose(spot * normal(d1) - later * normal(d1 - spread), { atol = 1e-4 }))
-- Who holds a call and owes a put holds the stock for the price of the strike.
assert((call - put):allclose(spot - later, { atol = 1e-4 }))
print(("%d options on %s: calls cost %.4f on average, puts %.4f"):format(n, call.device.name,
  call:mean(), put:mean()))

return call, put, spot, strike, years
