/* lcul_struct.c: struct types: their fields, and how two differ. */
#include "lcul_struct.h"

#include <stdio.h>
#include <string.h>

#include "lcul_check.h"
#include "lcul_class.h"
#include "lcul_near.h"
#include "lcul_position.h"

const lcul_struct *lcul_struct_check (lua_State *L, int idx) {
  return lcul_check(L, idx, LCUL_STRUCT);
}

static int unknown_field (lua_State *L, const lcul_struct *s, const char *key, const char *what) {
  const char *names[64];
  char text[256];
  size_t n = 0;
  for (; n < s->num_fields && n < lcu_arraylen(names); n++) names[n] = s->fields[n].name;
  lcul_near(key, names, n, NULL, text, sizeof text);
  return lcul_misuse(L, "%s: %s has no field '%s'%s", what, s->dtype.name, key, text);
}

const lcul_field *lcul_struct_field (lua_State *L, const lcul_struct *s, const char *name,
                                     const char *what) {
  for (uint32_t i = 0; i < s->num_fields; i++)
    if (strcmp(s->fields[i].name, name) == 0) return &s->fields[i];
  (void)unknown_field(L, s, name, what);
  return NULL;
}

static uint32_t field_end (const lcul_field *f) { return f->offset + f->count * f->dtype->size; }

const char *lcul_struct_difference (const lcul_struct *declared, const lcul_struct *compiled,
                                    char *buf, size_t size) {
  uint32_t n = declared->num_fields, m = compiled->num_fields;
  for (uint32_t i = 0; i < n && i < m; i++) {
    const lcul_field *a = &declared->fields[i], *b = &compiled->fields[i];
    if (a->offset == b->offset && field_end(a) == field_end(b)) continue;
    snprintf(buf, size,
             "field '%.100s' is declared at bytes %u to %u, the compiler has '%.100s' at %u to %u",
             a->name, a->offset, field_end(a) - 1, b->name, b->offset, field_end(b) - 1);
    return buf;
  }
  if (n != m) snprintf(buf, size, "%u fields are declared, the compiler has %u", n, m);
  else if (declared->dtype.size != compiled->dtype.size)
    snprintf(buf, size, "%u bytes are declared, the compiler has %u", declared->dtype.size,
             compiled->dtype.size);
  else return NULL;
  return buf;
}
