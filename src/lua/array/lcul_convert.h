/* lcul_convert.h: conversion of elements in host memory. */
#ifndef LCUL_CONVERT_H
#define LCUL_CONVERT_H

#include "lcul_shape.h"

/* Nested loops over host memory: dst and src have the same shape. */
void lcul_convert_host (const lcu_dtype *dt, char *dst, const int64_t *ds, const lcu_dtype *st,
                        const char *src, const int64_t *ss, int ndim, const int64_t *shape);

#endif
