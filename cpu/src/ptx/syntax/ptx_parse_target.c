/* ptx_parse_target.c: .version and .target (PTX ISA, "PTX Module Directives"). */
#include <stdio.h>
#include <string.h>

#include "ptx_parse.h"

/* ---- versions ---- */

static const struct {
  unsigned major, minor;
} versions[] = {
#define PTX_VERSION(major, minor) { major, minor },
#define PTX_TARGET(number, since, since_a, since_f)
#include "ptx_targets.def"
#undef PTX_VERSION
#undef PTX_TARGET
};

static bool version_exists (unsigned major, unsigned minor) {
  for (size_t i = 0; i < lcu_arraylen(versions); i++)
    if (versions[i].major == major) return minor <= versions[i].minor;
  return false;
}

static void refuse_version (ptx_parser *p, unsigned major, unsigned minor) {
  size_t last = lcu_arraylen(versions) - 1;
  ptx_parse_fail(p, p->tok.line, "unknown .version %u.%u: the newest known is %u.%u", major, minor,
                 versions[last].major, versions[last].minor);
  p->status = lcu_failure_get()->code = LCU_E_UNSUPPORTED;
}

/* Another module begins. */
static void end_module (ptx_parser *p) {
  if (p->target == 0) ptx_parse_fail(p, p->tok.line, "no .target");
  ptx_debug_end_module(p);
  ptx_forget_internal(p);
}

void ptx_parse_version (ptx_parser *p) {
  unsigned major = 0, minor = 0;
  char text[16] = "";
  size_t len = p->tok.len < sizeof text - 1 ? p->tok.len : sizeof text - 1;
  if (p->tok.kind == PTX_T_FLOAT || p->tok.kind == PTX_T_INT) memcpy(text, p->tok.text, len);
  if (sscanf(text, "%3u.%3u", &major, &minor) != 2) {
    ptx_parse_fail_near(p, "expected a version like 8.0");
    return;
  }
  if (!version_exists(major, minor)) {
    refuse_version(p, major, minor);
    return;
  }
  if (p->version != 0) end_module(p);
  p->version = (int)(major * 10 + minor);
  p->target = 0;
  p->texture_modes = 0;
  if (p->ast->version < p->version) p->ast->version = p->version;
  ptx_next(p);
}

/* ---- targets ---- */

typedef struct target {
  unsigned number;
  int since, since_a, since_f;
} target;

static const target targets[] = {
#define PTX_VERSION(major, minor)
#define PTX_TARGET(number, since, since_a, since_f) { number, since, since_a, since_f },
#include "ptx_targets.def"
#undef PTX_VERSION
#undef PTX_TARGET
};

/* The version that introduced sm_<number><variant>; 0: there is no such target. */
static int target_since (unsigned number, char variant) {
  for (size_t i = 0; i < lcu_arraylen(targets); i++)
    if (targets[i].number == number)
      return variant == 'a'   ? targets[i].since_a
             : variant == 'f' ? targets[i].since_f
                              : targets[i].since;
  return 0;
}

/* Reads "sm_90a" or "compute_90a". */
static bool read_arch (const char *text, unsigned *number, char *variant) {
  const char *digits = strncmp(text, "sm_", 3) == 0        ? text + 3
                       : strncmp(text, "compute_", 8) == 0 ? text + 8
                                                           : NULL;
  int end = 0;
  *variant = '\0';
  if (digits == NULL || *digits < '1' || *digits > '9') return false;
  if (sscanf(digits, "%4u%n", number, &end) != 1) return false;
  digits += end;
  if (*digits == 'a' || *digits == 'f') *variant = *digits++;
  return *digits == '\0';
}

static void set_arch (ptx_parser *p, uint32_t line, const char *text, unsigned number,
                      char variant) {
  int since = target_since(number, variant);
  if (since == 0) ptx_parse_fail(p, line, "unknown .target '%.40s'", text);
  else if (since > p->version)
    ptx_parse_fail(p, line, ".target %.40s needs .version %d.%d or later", text, since / 10,
                   since % 10);
  if (p->target < (int)number) p->target = (int)number;
  if (p->ast->target > (int)number) return;
  p->ast->target = (int)number;
  p->ast->variant = variant;
}

static void set_option (ptx_parser *p, uint32_t line, const char *text) {
  static const char *const options[] = { "debug", "texmode_unified", "texmode_independent" };
  for (size_t i = 0; i < lcu_arraylen(options); i++)
    if (strcmp(text, options[i]) == 0) {
      p->ast->debug |= i == 0;
      p->texture_modes |= i > 0 ? 1u << i : 0;
      if (p->texture_modes == 6) ptx_parse_fail(p, line, "texture modes exclude each other");
      return;
    }
  ptx_parse_fail(p, line, "unknown .target option '%.40s'", text);
}

/* .target sm_90a, texmode_unified, debug */
void ptx_parse_target (ptx_parser *p) {
  uint32_t line = p->tok.line;
  if (p->version == 0) ptx_parse_fail(p, line, "expected .version before .target");
  do {
    line = p->tok.line;
    ptx_name *n = ptx_expect_name(p, "a target like sm_80");
    unsigned number;
    char variant;
    if (n == NULL) return;
    if (read_arch(n->text, &number, &variant)) set_arch(p, line, n->text, number, variant);
    else set_option(p, line, n->text);
  } while (ptx_accept(p, ','));
  if (p->target == 0) ptx_parse_fail(p, line, ".target does not name an sm_ architecture");
}
