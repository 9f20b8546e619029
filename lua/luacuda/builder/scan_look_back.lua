-- scan_look_back.lua: the CUDA text with which a tile of a scan finds the total of what precedes
-- it.
--
-- One pass over the data, with decoupled look-back (Merrill and Garland, "Single-pass Parallel
-- Prefix Scan with Decoupled Look-back", 2016): a tile publishes the total of its elements
-- (aggregate) and finds the total of all preceding tiles in what they published. The last tile of a
-- group publishes the group's aggregate, then the total of everything up to its end (prefix). A
-- tile with a mark publishes its total as a prefix. A counter numbers the tiles in the order in
-- which their blocks start, so any tile that another waits for is running. The order in which
-- values are joined does not depend on the progress of other tiles, so results are reproducible.

local CROWD = 512               -- tiles, the first of which all run at the same time
local PATIENCE = 2000           -- nanoseconds
local PAUSE = 100               -- between readings, in nanoseconds

-- Finds the total of what precedes a tile, by a warp. 32 tiles are a group. `tiles`, `groups`: the
-- words of tile 0 and of group 0; `step`: words between neighbors; `cut`: has the tile marks?;
-- `starts`: is one at its first element, or is it tile 0, so that nothing precedes it?; `sum`: the
-- total of the tile from its last mark on, which it has published, as a prefix if cut.
--
-- Within its group a tile waits for the totals of all tiles before it. Of groups it needs the
-- prefix of one and the aggregates of those after that one, which it joins from the left: no tile
-- waits for the look-back of its neighbor. The last tile of a group publishes for it.
--
-- Where more tiles run than fit on the device at a time, a result can take a while: polling without
-- a pause would delay the very stores it waits for.
local LOOK_BACK = [[
_LCU_INLINE _lcu_acc _lcu_groups_before(const _lcu_word *groups, long long step, long long group,
    int lane) {
  const long long other = group - 32 + lane;
  _lcu_acc v;
  memset(&v, 0, sizeof v);
  unsigned status = 0, prefixes, known;
  while (true) {
    if (other >= 0 && status != _LCU_PREFIX) status = _lcu_read(groups + other * step, v);
    prefixes = __ballot_sync(~0u, status == _LCU_PREFIX);
    known = __ballot_sync(~0u, status != 0);
    if (prefixes != 0 && (~known & ~0u << (31 - __clz(prefixes))) == 0) break;
    __nanosleep($PAUSE);
  }
  int k = 31 - __clz(prefixes);
  _lcu_acc all = _lcu_shfl(v, k);
  while (++k < 32) all = _lcu_join(all, _lcu_shfl(v, k));
  return all;
}
_LCU_INLINE _lcu_acc _lcu_look_back(const _lcu_word *tiles, _lcu_word *groups, long long step,
    long long tile, int lane, bool starts, bool cut, const _lcu_acc &sum) {
  const int own = (int)(tile & 31);
  if (starts && own < 31) return sum;
  if (tile >= $CROWD) __nanosleep($PATIENCE);
  const long long group = tile >> 5;
  _lcu_acc v = sum;
  unsigned status = lane < own ? 0 : cut ? _LCU_PREFIX : _LCU_AGGREGATE;
  while (true) {
    if (status == 0) status = _lcu_read(tiles + (tile - own + lane) * step, v);
    if (!__any_sync(~0u, status == 0)) break;
    __nanosleep($PAUSE);
  }
  const unsigned marks = __ballot_sync(~0u, lane <= own && status == _LCU_PREFIX);
  const unsigned here = marks & (~0u >> (31 - lane));
  const int start = here ? 31 - __clz(here) : 0;
  #pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const _lcu_acc up = _lcu_shfl_up(v, d);
    if (lane - d >= start) v = _lcu_join(up, v);
  }
  _lcu_word *const word = groups + group * step;
  if (lane == 31 && own == 31) _lcu_publish(word, marks ? _LCU_PREFIX : _LCU_AGGREGATE, v);
  if (starts) return sum;
  const _lcu_acc total = v, within = _lcu_shfl(v, own > 0 ? own - 1 : 0);
  if (marks & ((1u << own) - 1u)) return within;
  const _lcu_acc before = _lcu_groups_before(groups, step, group, lane);
  if (lane == 31 && own == 31 && !marks) _lcu_publish(word, _LCU_PREFIX, _lcu_join(before, total));
  return own > 0 ? _lcu_join(before, within) : before;
}
]]

-- The same by one thread, for many sequences side by side: tiles before were started long ago and
-- usually have their prefix. Aggregates are joined from the left, as in a prefix.
local LOOK_BACK_ALONE = [[
_LCU_INLINE unsigned _lcu_wait(const _lcu_word *d, _lcu_acc &v) {
  unsigned status;
  do status = _lcu_read(d, v); while (status == 0);
  return status;
}
_LCU_INLINE _lcu_acc _lcu_look_back_alone(const _lcu_word *words, long long step, long long tile) {
  long long t = tile - 1;
  _lcu_acc sum, v;
  while (_lcu_wait(words + t * step, sum) != _LCU_PREFIX) t--;
  while (++t < tile) sum = _lcu_wait(words + t * step, v) == _LCU_PREFIX ? v : _lcu_join(sum, v);
  return sum;
}
]]

local NUMBERS = { CROWD = CROWD, PATIENCE = PATIENCE, PAUSE = PAUSE }

-- look_back.text(alone) -> the function _lcu_look_back, for a warp, or _lcu_look_back_alone, for
-- one thread
local function text(alone)
  return alone and LOOK_BACK_ALONE or (LOOK_BACK:gsub("%$(%u+)", NUMBERS))
end

return { text = text }
