-- reduction_seek.lua: how kernels for the CPU device look for the place of an extreme value. For a
-- batch of values they compare its extreme value with the best one so far, and where it is better
-- keep all values of the batch, without a branch; the place within the best batch is found once,
-- after the loop. A reduction with `seek` = { map =, text = } asks for that. `map` gives a value;
-- `text` defines its type _lcu_seen, the value _lcu_worst() that no other is worse than,
-- _lcu_extreme(v) of an array of values, _lcu_beats(a, b), and _lcu_found(value, index), the item
-- that is added in the end.
--
-- For each state: _best, its batch _kept, which begins at _from.

local HEAD = [[
    _lcu_seen _best[STATES], _kept[STATES][COUNT];
    _lcu_uint _from[STATES];
    #pragma unroll
    for (int _p = 0; _p < STATES; _p++) {
      _best[_p] = _lcu_worst(), _from[_p] = _at;
      #pragma unroll
      for (int _k = 0; _k < COUNT; _k++) _kept[_p][_k] = _lcu_worst();
    }
]]

local LOOK = [[
      const _lcu_seen _extreme = _lcu_extreme(_w);
      const bool _better = _lcu_beats(_extreme, _best[PLACE]);
      _best[PLACE] = _better ? _extreme : _best[PLACE];
      _from[PLACE] = _better ? _at : _from[PLACE];
      #pragma unroll
      for (int _k = 0; _k < COUNT; _k++) _kept[PLACE][_k] = _better ? _w[_k] : _kept[PLACE][_k];
]]

-- The first value that is as good as the best; of NaN, the first one.
local FIND = [[
      int _k = COUNT - 1;
      #pragma unroll
      for (int _q = COUNT - 2; _q >= 0; _q--)
        _k = (_kept[PLACE][_q] == _best[PLACE]) | (_kept[PLACE][_q] != _kept[PLACE][_q]) ? _q : _k;
]]

local function filled(text, values) return (text:gsub("%u%u%u+", values)) end

-- The texts before the loop over batches of `count` values for each of `states`; for a batch _w
-- of the state `place`; after the loop, which ends in the variable _k, the place in the batch.
local function head(states, count) return filled(HEAD, { STATES = states, COUNT = count }) end
local function look(place, count) return filled(LOOK, { PLACE = place, COUNT = count }) end
local function find(place, count) return filled(FIND, { PLACE = place, COUNT = count }) end

-- Does a kernel look for a place in this way?
local function wanted(state, desc)
  return state.seek ~= nil and desc.lanes > 0 and desc.inner == 1
end

return { wanted = wanted, head = head, look = look, find = find }
