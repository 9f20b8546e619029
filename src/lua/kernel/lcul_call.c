/* lcul_call.c: messages about the arguments of a launch. */
#include "lcul_call.h"

#include <stdarg.h>
#include <stdio.h>

#include "lcul_kernel.h"
#include "lcul_plan.h"
#include "lcul_position.h"

const char *lcul_arg_label (const lcul_call *c, size_t i, char *buf, size_t size) {
  const lcul_binding *b = c->binding;
  const char *name = i < b->plan->num ? b->plan->conv[i].name : "";
  if (name[0] == '\0') snprintf(buf, size, "%s: argument %d", b->function->name, (int)i + 1);
  else snprintf(buf, size, "%s: argument %d '%s'", b->function->name, (int)i + 1, name);
  return buf;
}

int lcul_arg_error (lcul_call *c, size_t i, const char *fmt, ...) {
  char label[256], text[1024];
  va_list args;
  va_start(args, fmt);
  vsnprintf(text, sizeof text, fmt, args);
  va_end(args);
  return lcul_misuse(c->L, "%s: %s", lcul_arg_label(c, i, label, sizeof label), text);
}

const char *lcul_arg_type_name (const lcul_conv *v) {
  return v->param->type_name != NULL ? v->param->type_name : "its parameter";
}
