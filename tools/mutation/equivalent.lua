-- Mutants that no test can detect: { file, text of the line, old text, new text, reason }.
return {
  { "lua/luacuda/compile/compiler.lua", "source = spec.text, flags = flags }, 0)", "0", "1",
    "an error object has no position" },
  { "lua/luacuda/builder/reduction_serial.lua",
    "  const _lcu_uint _across = ACROSS, _tiles = (_across + WIDTH - 1) / WIDTH;", "1", "0",
    "a tile after the last one stores no result" },
  { "shared/base/lcu_dtype.c", "size_t now = n < BLOCK ? n : BLOCK;", "<", "<=",
    "both sides are the same number then" },
  { "shared/base/lcu_team.c", "pthread_mutex_destroy(&t->lock);", "pthread_mutex_destroy(&t->lock)",
    "", "a mutex holds nothing on Linux" },
  { "src/core/process/lcu_process_open.c", "if (lcu_process_add_states(-1) > 0) return false;",
    "(lcu_process_add_states(-1) > 0)", "(!(lcu_process_add_states(-1) > 0))",
    "a child of fork() refuses every call that would look at the devices" },
  { "src/lua/value/lcul_scalar_text.c", "char r[40], i[40];", "40", "39",
    "no number has so many characters" },
  { "src/types/lcu_demangle_type.c", "p->pack_index = -1;", "p->pack_index = -1", "",
    "valid names refer to a pack only in its expansions" },
}
