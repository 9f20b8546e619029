/* test_ptx_shape.c: what is claimed about registers, rule by rule, beside its near misses. That
 * claims hold is tested by all tests that run kernels (ptx_shape_watch.h). */
#include "ptx_front.h"
#include "ptx_shape.h"

static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry k(.param .u64 p, .param .u32 n) {\n"
                           ".reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %d<40>;\n"
                           ".shared .align 16 .b8 s[64]; .local .align 16 .b8 l[64];\n";

static void expect (const char *what, ptx_block_class blocks, const char *body, const char *want) {
  char text[8192];
  lcu_buf out = { 0 };
  snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
  ptx_module *m = front_load(text);
  ptx_kernel *k = m != NULL ? ptx_module_kernel(m, "k") : NULL;
  CHECK(k != NULL && ptx_kernel_prepare(k) == LCU_OK, "%s: %s", what, lcu_failure_get()->message);
  ptx_shape_dump(ptx_function_claims(front_function(m, "k"), blocks), &out);
  CHECK(!out.failed && strcmp(out.data, want) == 0, "%s:\n%s\nshould be\n%s", what, out.data, want);
  lcu_buf_free(&out);
  ptx_module_free(m);
}

#include "ptx_shape_cases.h"

int main (void) {
  long before = lcu_mem_live();
  for (size_t k = 0; k < lcu_arraylen(cases); k++)
    expect(cases[k].what, cases[k].blocks, cases[k].body, cases[k].want);
  CHECK(lcu_mem_live() == before, "%ld allocations left", lcu_mem_live() - before);
  return check_result();
}
