/* lcul_jit_call.c: calls of kernels written in Lua. The types of the arguments, the scale of the
 * launch, and which arrays of several axes have one shape are a key; the kernel for it is found or
 * made (lcul_family.h), and the arguments become its parameters: of an array the pointer, the
 * extents and, if it is strided, the strides. */
#include <inttypes.h>
#include <string.h>

#include "lcul_array.h"
#include "lcul_array_memory.h"
#include "lcul_argument.h"
#include "lcul_builder.h"
#include "lcul_class.h"
#include "lcul_guards.h"
#include "lcul_jit_call.h"
#include "lcul_launch.h"
#include "lcul_library.h"
#include "lcul_position.h"
#include "lcul_record.h"
#include "lcul_set.h"
#include "lcul_texture.h"

static const char jit_mark; /* the key of the family in a Jit */

/* In a key: what a value is, and for arrays and textures their form. */
typedef struct kind {
  lcul_kindword word;
  uint64_t form;
} kind;

enum { STRIDED = 1, VALUE = 1 << 12, PACKED = 1 << 13, FORM_AXES = 1, FORM_TWIN = 16 /* shifts */ };

static int axes_of (const kind *k) { return (int)(k->form >> FORM_AXES) & 0xff; }

typedef struct param {
  bool array, strided, written, record; /* record: a struct by value */
  kind kind;
} param;

/* The kernels for one key: one for arrays that overlap none that it writes to, one for others. */
typedef struct member {
  lcul_member head;
  int num, given; /* parameters, the arrays among upvalues included; arguments of the function */
  int room;       /* values that a call pushes at most */
  uint8_t scale;  /* lcul_scale */
  bool overlap;   /* the latest call's arrays overlapped */
  param params[];
} member;

/* After each kernel: what its hook returned beside it. */
enum { UV_HIDDENS = LCUL_MEMBER_OWN, UV_APART, UV_OVERLAPPING = UV_APART + 2, JIT_UVS = 5 };

/* One call: stack indices of the family, the member, the arguments and the hidden arrays. */
typedef struct call {
  lua_State *L;
  int family, member, first, hidden;
  member *m;
} call;


/* ---- keys ---- */

static kind array_kind (const lcul_array *a) {
  return (kind){ lcul_kind_word(LCUL_KIND_ARRAY, a->dtype),
                 (uint64_t)a->ndim << FORM_AXES | (a->contiguous ? 0 : STRIDED) };
}

/* Textures and surfaces have a dtype and no kind of the builders. */
static LCU_COLD bool read_texture (lua_State *L, int idx, kind *out) {
  bool surface;
  const lcul_texture *t = lcul_texture_test(L, idx, &surface);
  if (t == NULL || t->block == NULL) return false;
  *out = (kind){ lcul_kind_word(LCUL_KIND_NONE, t->texels.dtype), lcul_texture_form(t, surface) };
  return true;
}

static LCU_COLD bool read_record (lua_State *L, int idx, kind *out) {
  const lcu_dtype *t = lcul_record_dtype(L, idx);
  if (t == NULL) return false;
  *out = (kind){ lcul_kind_word(LCUL_KIND_ARRAY, t), VALUE };
  return true;
}

/* Reads the kind of an array; false if the array is closed. */
static inline bool read_array (const lcul_array *a, kind *out, bool *large) {
  if (lcu_unlikely(!lcul_is_small(a))) *large = true;
  *out = array_kind(a);
  return a->block != NULL;
}

/* The same for a value that is no array. */
static inline bool read_rest (lua_State *L, int idx, kind *out) {
  *out = (kind){ lcul_kind_scalar(L, idx), 0 };
  return lcu_likely(out->word != 0) || read_texture(L, idx, out) || read_record(L, idx, out);
}

/* Reads the kind of the value at idx; false if it is no kind of argument. */
static bool read_jit_kind (lua_State *L, int idx, kind *out, bool *large) {
  const lcul_array *a = lcul_test(L, idx, LCUL_ARRAY);
  return a != NULL ? read_array(a, out, large) : read_rest(L, idx, out);
}

/* The first argument before the array at idx that is a contiguous array of the same shape, from 1;
 * 0: there is none. Such arrays share their extents in the kernel, and so the offsets of
 * elements. */
static uint64_t twin_of (lua_State *L, const lcul_array *a, int first, int idx) {
  if (a->ndim < 2 || !a->contiguous) return 0;
  for (int i = first; i < idx; i++) {
    const lcul_array *b = lcul_test(L, i, LCUL_ARRAY);
    if (b != NULL && b->contiguous && lcul_array_same_shape(a, b)) return (uint64_t)(i - first + 1);
  }
  return 0;
}

/* Do the rows of the array begin at multiples of 16 bytes? */
static bool is_packed (lua_State *L, const lcul_array *a) {
  enum { UNIT = 16 };
  return a->contiguous && a->ndim > 0 && a->size > 0 &&
         a->shape[a->ndim - 1] * a->dtype->size % UNIT == 0 &&
         lcul_array_address(L, a, a->block->device) % UNIT == 0;
}

/* Calls hooks.refuse(state, launch, ...), which raises: an argument or their number is wrong. */
static LCU_COLD int refuse_jit (lua_State *L, int family) {
  lcul_push_hook(L, "jit", "refuse");
  lua_replace(L, 1);
  lua_getiuservalue(L, family, LCUL_FAMILY_STATE);
  lua_insert(L, 2);
  lua_settop(L, family);
  lua_call(L, family - 1, 0);
  return lcul_misuse(L, "jit: wrong arguments");
}

/* In a key after the kinds: the kind of device, the scale. */
enum { KEY_DEVICE = sizeof(lua_Integer), KEY_MORE = KEY_DEVICE + 1 };

/* The key of the arguments from 3 on and of the scale. */
static void read_jit_key (lua_State *L, int family, unsigned char *key, lcul_scale scale) {
  const lcul_family *f = lua_touserdata(L, family);
  bool large = false;
  for (int i = 0; i < f->count; i++) {
    kind k;
    const lcul_array *a = lcul_test(L, 3 + i, LCUL_ARRAY);
    bool fits = a != NULL ? read_array(a, &k, &large) : read_rest(L, 3 + i, &k);
    if (lcu_unlikely(!fits)) refuse_jit(L, family);
    if (a != NULL) k.form |= twin_of(L, a, 3, 3 + i) << FORM_TWIN;
    if (a != NULL && f->packed && is_packed(L, a)) k.form |= PACKED;
    memcpy(key + (size_t)i * sizeof k, &k, sizeof k);
  }
  memcpy(key + f->bytes - KEY_MORE, &f->device_kind, KEY_DEVICE);
  key[f->bytes - 1] = (unsigned char)(large ? LCUL_SCALE_LARGE : scale);
}


/* ---- making kernels ---- */

/* Reads the parameters from the table at `table`: forms ("-": a number, "c", "s": an array, "v": a
 * struct by value), written, samples of the hidden arrays. */
static void read_params (lua_State *L, member *m, int table, const char *forms) {
  bool large = false;
  lua_getfield(L, table, "samples");
  for (int i = 0; i < m->num; i++) {
    param *p = &m->params[i];
    p->array = forms[i] == 'c' || forms[i] == 's';
    p->record = forms[i] == 'v';
    p->strided = forms[i] == 's';
    if (i >= m->given) {
      lua_rawgeti(L, -1, i - m->given + 1);
      if (!read_jit_kind(L, -1, &p->kind, &large)) lcul_misuse(L, "jit: an upvalue is closed");
      lua_pop(L, 1);
    }
    m->room += 1;
    if (p->array) m->room += axes_of(&p->kind) * (p->strided ? 2 : 1);
  }
  lua_getfield(L, table, "written");
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) != LUA_TNIL; i++) {
    lua_Integer k = lua_tointeger(L, -1);
    if (k >= 1 && k <= m->num) m->params[k - 1].written = true;
    lua_pop(L, 1);
  }
  lua_pop(L, 3);
  lua_pushnil(L); /* the kernel does not keep them */
  lua_setfield(L, table, "samples");
}

/* Pushes a table: argument -> the earlier one that has its shape. */
static void push_twins (lua_State *L, int count, const unsigned char *key) {
  lua_newtable(L);
  for (int i = 0; i < count; i++) {
    kind k;
    memcpy(&k, key + (size_t)i * sizeof k, sizeof k);
    if (k.form >> FORM_TWIN == 0) continue;
    lua_pushinteger(L, (lua_Integer)(k.form >> FORM_TWIN));
    lua_rawseti(L, -2, i + 1);
  }
}

/* Pushes a table: argument -> is it a packed array? Empty for kernels that need not know. */
static void push_packed (lua_State *L, const lcul_family *f, const unsigned char *key) {
  lua_newtable(L);
  for (int i = 0; f->packed && i < f->count; i++) {
    kind k;
    memcpy(&k, key + (size_t)i * sizeof k, sizeof k);
    lua_pushboolean(L, (k.form & PACKED) != 0);
    lua_rawseti(L, -2, i + 1);
  }
}

/* Calls hooks.make(state, scale, twins, packed, ...) -> { guards, hiddens, forms, written,
 * samples }. */
static void make_jit_member (lua_State *L, int family, int first, const unsigned char *key) {
  const lcul_family *f = lua_touserdata(L, family);
  luaL_checkstack(L, f->count + 10, NULL);
  lcul_push_hook(L, "jit", "make");
  lua_getiuservalue(L, family, LCUL_FAMILY_STATE);
  lua_pushstring(L, lcul_scale_name((lcul_scale)key[f->bytes - 1]));
  push_twins(L, f->count, key);
  push_packed(L, f, key);
  for (int i = 0; i < f->count; i++) lua_pushvalue(L, first + i);
  lua_call(L, f->count + 4, 1);
  int table = lua_gettop(L);
  size_t num;
  lua_getfield(L, table, "forms");
  const char *forms = luaL_checklstring(L, -1, &num);
  lua_pushvalue(L, table);
  member *m = lcul_member_new(L, sizeof *m + num * sizeof m->params[0], JIT_UVS);
  m->num = (int)num;
  m->given = f->count;
  m->scale = key[f->bytes - 1];
  for (int i = 0; i < f->count; i++)
    memcpy(&m->params[i].kind, key + (size_t)i * sizeof(kind), sizeof(kind));
  read_params(L, m, table, forms);
  lua_getfield(L, table, "hiddens");
  lua_setiuservalue(L, -2, UV_HIDDENS);
  lua_replace(L, table);
  lua_settop(L, table);
}

/* Pushes the kernel; calls hooks.kernel(table, apart) for a first one, which returns it and what is
 * to be kept with it. */
static lcul_kernel *push_kernel (call *c, bool overlap) {
  lua_State *L = c->L;
  int uv = overlap ? UV_OVERLAPPING : UV_APART;
  c->m->overlap = overlap;
  if (lcu_unlikely(lua_getiuservalue(L, c->member, uv) == LUA_TNIL)) {
    lua_pop(L, 1);
    lcul_push_hook(L, "jit", "kernel");
    lua_getiuservalue(L, c->member, LCUL_MEMBER_TABLE);
    lua_pushboolean(L, !overlap);
    lua_call(L, 2, 2);
    lua_setiuservalue(L, c->member, uv + 1);
    lcul_kernel_check(L, -1)->scale = (uint8_t)(c->m->scale + 1);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, c->member, uv);
  }
  return lcul_kernel_check(L, -1);
}


/* ---- the parameters of the kernel ---- */

static int place_of (const call *c, int i) {
  return i < c->m->given ? c->first + i : c->hidden + i - c->m->given;
}

static lcul_array *array_at (const call *c, int i) { return lcul_toobject(c->L, place_of(c, i)); }

static bool is_kind (lua_State *L, int idx, const kind *k) {
  kind now;
  bool large;
  return read_jit_kind(L, idx, &now, &large) && now.word == k->word && now.form == k->form;
}

/* Are the arrays among the upvalues of the member at the top of the types that it was made for? */
static bool hiddens_fit (lua_State *L) {
  const member *m = lua_touserdata(L, -1);
  int top = lua_gettop(L);
  bool same = true;
  if (lcu_likely(m->num == m->given)) return true;
  lua_getiuservalue(L, top, UV_HIDDENS);
  for (int i = m->given; i < m->num && same; i++) {
    lcul_guards_read(L, top + 1, i - m->given);
    same = is_kind(L, top + 2, &m->params[i].kind);
    lua_settop(L, top + 1);
  }
  lua_settop(L, top);
  return same;
}

/* Pushes the arrays among the upvalues. */
static void push_hiddens (call *c) {
  lua_State *L = c->L;
  int top = lua_gettop(L);
  c->hidden = top + 2;
  if (lcu_likely(c->m->num == c->m->given)) return;
  lua_getiuservalue(L, c->member, UV_HIDDENS);
  for (int i = c->m->given; i < c->m->num; i++) {
    lcul_guards_read(L, top + 1, i - c->m->given);
    if (!is_kind(L, -1, &c->m->params[i].kind))
      lcul_misuse(L, "jit: an array among the upvalues changes while it is read");
  }
}

/* Does an array overlap one that the kernel writes to? */
static bool overlaps (const call *c) {
  for (int i = 0; i < c->m->num; i++) {
    if (!c->m->params[i].written) continue;
    const lcul_array *a = array_at(c, i);
    for (int k = 0; k < c->m->num; k++)
      if (k != i && c->m->params[k].array && a->size > 0 && array_at(c, k)->size > 0 &&
          lcul_array_overlap(a, array_at(c, k)))
        return true;
  }
  return false;
}

static void push_strides (const call *c, int i, const lcul_array *a) {
  int64_t size = a->dtype->size;
  for (int axis = 0; axis < a->ndim; axis++) {
    if (a->strides[axis] % size != 0)
      lcul_misuse(c->L,
                  "jit: argument %d: its elements are %" PRId64 " bytes apart along axis %d, no "
                  "multiple of their %" PRId64 " bytes: pass a copy, x:copy()",
                  i + 1, a->strides[axis], axis + 1, size);
    lua_pushinteger(c->L, a->strides[axis] / size);
  }
}

/* Pushes the parameters of the kernel. */
static void push_params (const call *c) {
  lua_State *L = c->L;
  luaL_checkstack(L, c->m->room, NULL);
  for (int i = 0; i < c->m->num; i++) {
    const param *p = &c->m->params[i];
    if (p->record) lcul_record_bytes(L, place_of(c, i));
    else if (!p->array || !p->strided) lua_pushvalue(L, place_of(c, i));
    else lcul_argument_raw(L, place_of(c, i));
    if (!p->array) continue;
    const lcul_array *a = array_at(c, i);
    for (int axis = 0; axis < a->ndim; axis++) lua_pushinteger(L, a->shape[axis]);
    if (p->strided) push_strides(c, i, a);
  }
}


/* ---- calls ---- */

static const lcul_family_ops jit_ops = { make_jit_member, hiddens_fit };

/* The call whose family is at that index. */
static call call_of (lua_State *L, int family) {
  return (call){ .L = L, .family = family, .member = family + 1, .first = 3 };
}

int lcul_jit_find (lua_State *L, int family, lcul_scale scale) {
  unsigned char key[LCUL_FAMILY_PARAMS * sizeof(kind) + KEY_MORE];
  call c = call_of(L, family);
  read_jit_key(L, family, key, scale);
  c.m = lcul_family_find(L, family, c.first, key, &jit_ops);
  push_hiddens(&c);
  push_kernel(&c, overlaps(&c));
  return lua_gettop(L);
}

void lcul_jit_push_params (lua_State *L, int family) {
  call c = call_of(L, family);
  c.m = lua_touserdata(L, c.member);
  c.hidden = c.member + 2;
  push_params(&c);
}

void lcul_jit_push_extra (lua_State *L, int family) {
  const member *m = lua_touserdata(L, family + 1);
  lua_getiuservalue(L, family + 1, (m->overlap ? UV_OVERLAPPING : UV_APART) + 1);
}

int lcul_jit_begin (lua_State *L) {
  int family = lua_gettop(L) + 1;
  const lcul_family *f = lcul_family_push(L, 1, &jit_mark, "Jit");
  if (lcu_unlikely(family != f->count + 3 || !lua_istable(L, 2))) refuse_jit(L, family);
  return family;
}

/* jit(launch, ...) */
static int jit_call (lua_State *L) {
  lcul_request r;
  int family = lcul_jit_begin(L);
  const lcul_family *f = lua_touserdata(L, family);
  lcul_request_read(L, 2, f->name, false, &r);
  int kernel = lcul_jit_find(L, family, lcul_scale_of(&r));
  lcul_jit_push_params(L, family);
  int nargs = lua_gettop(L) - kernel;
  lcul_kernel *k = lcul_toobject(L, kernel);
  if (lcu_likely(lcul_launch_again(L, k, &r, kernel + 1, nargs))) return 0;
  lua_pushvalue(L, 2); /* the launch table, between the kernel and its parameters */
  lua_insert(L, kernel + 1);
  lua_rotate(L, 1, nargs + 2);
  lua_settop(L, nargs + 2);
  return lcul_launch_call(L);
}

/* core.jit_spread(jit, launch, ...) -> the kernel, its arguments. The launch is a table with
 * `threads`, or with `grid` and `block`; one without any stands for small launches. */
static int core_jit_spread (lua_State *L) {
  lcul_request r = { .has_grid = true, .grid = { 1, 1, 1 } };
  r.has_block = true;
  memcpy(r.block, r.grid, sizeof r.block);
  int family = lcul_jit_begin(L);
  const lcul_family *f = lua_touserdata(L, family);
  lua_pushnil(L);
  if (lua_next(L, 2) != 0) {
    lua_settop(L, family);
    lcul_request_read(L, 2, f->name, true, &r);
  }
  int kernel = lcul_jit_find(L, family, lcul_scale_of(&r));
  lcul_jit_push_params(L, family);
  return lua_gettop(L) - kernel + 1;
}

/* core.jit_latest(jit) -> the table of the kernel that was called last, the kernel; nil: none
 * was */
static int core_jit_latest (lua_State *L) {
  const lcul_family *f = lcul_family_push(L, 1, &jit_mark, "Jit");
  if (!f->called) return 0;
  lua_getiuservalue(L, -1, LCUL_FAMILY_LATEST);
  const member *m = lua_touserdata(L, -1);
  lua_getiuservalue(L, -1, LCUL_MEMBER_TABLE);
  lua_getiuservalue(L, -2, m->overlap ? UV_OVERLAPPING : UV_APART);
  return 2;
}

/* core.jit_new(object, state): makes the table `object` a Jit. `state` has count, the number of
 * parameters, name, the kernel's, and of_tiles for kernels over tiles. */
static int core_jit_new (lua_State *L) {
  lcul_family *f = lcul_family_new(L, &jit_mark, sizeof(kind), KEY_MORE);
  lua_getfield(L, 2, "of_tiles");
  f->packed = lua_toboolean(L, -1);
  return 0;
}

/* core.jit_state(object) -> its state; nil for other values */
static int core_jit_state (lua_State *L) { return lcul_family_state(L, &jit_mark); }

void lcul_open_jit_call (lua_State *L) {
  static const luaL_Reg functions[] = {
    { "jit_call", jit_call },        { "jit_spread", core_jit_spread },
    { "jit_new", core_jit_new },     { "jit_latest", core_jit_latest },
    { "jit_state", core_jit_state }, { NULL, NULL }
  };
  lcul_setfuncs(L, functions);
}
