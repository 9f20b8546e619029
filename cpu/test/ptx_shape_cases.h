/* ptx_shape_cases.h: bodies of kernels and what is claimed about them, for test_ptx_shape.c. */
#ifndef PTX_SHAPE_CASES_H
#define PTX_SHAPE_CASES_H

static const struct {
  const char *what;
  ptx_block_class blocks;
  const char *body, *want;
} cases[] = {
  { "tid.x counts the lanes", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " mov.u32 %r2, %tid.y;"
    " mov.u32 %r3, %laneid;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r2 = uniform\n"
    "%r3 = 0 + 1 * lane\n" },
  { "tid.x of rows", PTX_BLOCKS_ROWS16,
    "mov.u32 %r1, %tid.x;"
    " mov.u32 %r2, %tid.y;"
    " mov.u32 %r3, %ntid.x;",
    "%r1 = 0 + lanes 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 8 9 10 11 12 13"
    " 14 15\n"
    "%r2 = rows\n"
    "%r3 = 16\n" },
  { "tid.x of other blocks", PTX_BLOCKS_ANY,
    "mov.u32 %r1, %tid.x;"
    " mov.u32 %r2, %tid.y;"
    " mov.u32 %r3, %ntid.x;",
    "%r1 = varying\n"
    "%r2 = varying\n"
    "%r3 = uniform\n" },
  { "a clock is no claim", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %clock;"
    " mov.u32 %r2, %ctaid.x;",
    "%r1 = varying\n"
    "%r2 = uniform\n" },
  { "parameters and their roots", PTX_BLOCKS_WARPS,
    "ld.param.u64 %d1, [p];"
    " cvta.to.global.u64 %d2, %d1;"
    " ld.param.u32 %r1, [n];",
    "%d1 = uniform (param 0)\n"
    "%d2 = uniform (param 0)\n"
    "%r1 = uniform (param 8)\n" },
  { "an index does not wrap around in whole warps", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " mov.u32 %r2, %ntid.x;"
    " mov.u32 %r3, %ctaid.x;"
    " mad.lo.s32 %r4, %r3, %r2, %r1;"
    " mul.wide.s32 %d1, %r4, 4;"
    " ld.param.u64 %d2, [p];"
    " add.s64 %d3, %d2, %d1;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r2 = uniform *32\n"
    "%r3 = uniform\n"
    "%r4 = uniform *32 + 1 * lane\n"
    "%d1 = uniform *128 + 4 * lane\n"
    "%d2 = uniform (param 0)\n"
    "%d3 = uniform + 4 * lane (param 0)\n" },
  { "and may in blocks of any width", PTX_BLOCKS_LINE,
    "mov.u32 %r1, %tid.x;"
    " mov.u32 %r2, %ntid.x;"
    " mov.u32 %r3, %ctaid.x;"
    " mad.lo.s32 %r4, %r3, %r2, %r1;"
    " mul.wide.s32 %d1, %r4, 4;"
    " cvt.u64.u32 %d2, %r1;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r2 = uniform\n"
    "%r3 = uniform\n"
    "%r4 = uniform + 1 * lane\n"
    "%d1 = uniform *4 + 4 * lane widened\n"
    "%d2 = uniform *32 + 1 * lane\n" },
  { "rows of 16: columns, and rows by an unknown pitch", PTX_BLOCKS_ROWS16,
    "mov.u32 %r1, %tid.x;"
    " mov.u32 %r2, %tid.y;"
    " ld.param.u32 %r3, [n];"
    " mad.lo.s32 %r4, %r2, %r3, %r1;"
    " mul.lo.s32 %r5, %r2, %r3;"
    " mul.lo.s32 %r6, %r1, %r3;",
    "%r1 = 0 + lanes 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 8 9 10 11 12 13"
    " 14 15\n"
    "%r2 = rows\n"
    "%r3 = uniform (param 8)\n"
    "%r4 = rows + 1 * column\n"
    "%r5 = rows\n"
    "%r6 = varying\n" },
  { "a stride that is a constant, and one that is not", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " shl.b32 %r2, %r1, 2;"
    " ld.param.u32 %r3, [n];"
    " mul.lo.s32 %r4, %r1, %r3;"
    " sub.s32 %r5, %r3, %r1;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r2 = uniform *128 + 4 * lane\n"
    "%r3 = uniform (param 8)\n"
    "%r4 = varying\n"
    "%r5 = uniform + -1 * lane (param 8)\n" },
  { "logic with low bits", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " and.b32 %r2, %r1, 15;"
    " xor.b32 %r3, %r1, 1;"
    " shr.u32 %r4, %r1, 5;"
    " shr.u32 %r5, %r1, 4;"
    " and.b32 %r6, %r1, 33;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r2 = 0 + lanes 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 8 9 10 11 12 13"
    " 14 15\n"
    "%r3 = uniform + lanes 0 4294967295 2 1 4 3 6 5 8 7 10 9 12 11 14 13 16 15 18 17 20 19"
    " 22 21 24 23 26 25 28 27 30 29\n"
    "%r4 = uniform\n"
    "%r5 = uniform *2 + lanes 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"
    " 1\n"
    "%r6 = uniform *32 + lanes 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0"
    " 1\n" },
  { "logic without known low bits", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " ld.param.u32 %r2, [n];"
    " add.s32 %r3, %r1, %r2;"
    " and.b32 %r4, %r3, 15;"
    " shr.u32 %r5, %r3, 5;"
    " and.b32 %r6, %r2, -8;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r2 = uniform (param 8)\n"
    "%r3 = uniform + 1 * lane (param 8)\n"
    "%r4 = varying (param 8)\n"
    "%r5 = varying\n"
    "%r6 = uniform *8 (param 8)\n" },
  { "loads from one address", PTX_BLOCKS_WARPS,
    "ld.param.u64 %d1, [p];"
    " ld.global.u32 %r1, [%d1];"
    " ld.volatile.global.u32 %r2, [%d1];"
    " ld.u32 %r3, [%d1];"
    " ld.local.u32 %r4, [l];"
    " ld.shared.u32 %r5, [s];"
    " ld.const.u32 %r7, [%d1];",
    "%d1 = uniform (param 0)\n"
    "%r1 = uniform (many)\n"
    "%r2 = varying (many)\n"
    "%r3 = varying (many)\n"
    "%r4 = varying (many)\n"
    "%r5 = uniform (many)\n"
    "%r7 = uniform (many)\n" },
  { "loads from one address per row", PTX_BLOCKS_ROWS16,
    "ld.param.u64 %d1, [p];"
    " mov.u32 %r1, %tid.y;"
    " mul.wide.u32 %d2, %r1, 4;"
    " add.s64 %d3, %d1, %d2;"
    " ld.global.u32 %r2, [%d3];",
    "%d1 = uniform (param 0)\n"
    "%r1 = rows\n"
    "%d2 = rows\n"
    "%d3 = rows (param 0)\n"
    "%r2 = rows (many)\n" },
  { "atomics and shuffles", PTX_BLOCKS_WARPS,
    "ld.param.u64 %d1, [p];"
    " atom.global.add.u32 %r1, [%d1], 1;"
    " shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;"
    " vote.sync.ballot.b32 %r3, %p1, -1;",
    "%d1 = uniform (param 0)\n"
    "%r1 = varying\n"
    "%r2 = varying\n"
    "%r3 = varying\n"
    "%p1 = varying\n" },
  { "selection by one predicate", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " ld.param.u32 %r2, [n];"
    " setp.lt.s32 %p1, %r2, 9;"
    " add.s32 %r3, %r1, 64;"
    " selp.b32 %r4, %r1, %r3, %p1;"
    " setp.lt.s32 %p2, %r1, %r2;"
    " selp.b32 %r5, 1, 2, %p2;"
    " selp.b32 %r6, 1, 2, %p1;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r2 = uniform (param 8)\n"
    "%p1 = uniform\n"
    "%r3 = uniform *32 + 1 * lane\n"
    "%r4 = uniform *32 + 1 * lane\n"
    "%p2 = varying\n"
    "%r5 = varying\n"
    "%r6 = uniform\n" },
  { "guards", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " ld.param.u32 %r2, [n];"
    " setp.lt.s32 %p1, %r2, 9;"
    " setp.lt.s32 %p2, %r1, %r2;"
    " mov.u32 %r3, 1;"
    " @%p1 mov.u32 %r3, 2;"
    " mov.u32 %r4, 1;"
    " @%p2 mov.u32 %r4, 2;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r2 = uniform (param 8)\n"
    "%p1 = uniform\n"
    "%p2 = varying\n"
    "%r3 = uniform\n"
    "%r4 = varying\n" },
  { "a branch that all lanes take alike", PTX_BLOCKS_WARPS,
    "ld.param.u32 %r2, [n];"
    " setp.lt.s32 %p1, %r2, 9;"
    " mov.u32 %r3, 1;"
    " @%p1 bra J;"
    " mov.u32 %r3, 2;"
    " J: add.s32 %r4, %r3, 1;",
    "%r2 = uniform (param 8)\n"
    "%p1 = uniform\n"
    "%r3 = uniform\n"
    "%r4 = uniform\n" },
  { "a branch that parts lanes", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " ld.param.u32 %r2, [n];"
    " setp.lt.s32 %p1, %r1, %r2;"
    " mov.u32 %r3, 1;"
    " @%p1 bra J;"
    " mov.u32 %r3, 2;"
    " mov.u32 %r5, 7;"
    " add.s32 %r6, %r5, %r3;"
    " J: add.s32 %r4, %r3, 1;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r2 = uniform (param 8)\n"
    "%p1 = varying\n"
    "%r3 = varying\n"
    "%r5 = 7\n"
    "%r6 = varying\n"
    "%r4 = varying\n"
    "block 0: diverges\n"
    "block 2: joins\n" },
  { "lanes that leave early do not part those that stay", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " ld.param.u32 %r2, [n];"
    " setp.ge.s32 %p1, %r1, %r2;"
    " @%p1 bra E;"
    " mov.u32 %r3, 0;"
    " H: add.s32 %r3, %r3, 1;"
    " setp.lt.s32 %p2, %r3, %r2;"
    " @%p2 bra H;"
    " E:",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r2 = uniform (param 8)\n"
    "%p1 = varying\n"
    "%r3 = uniform\n"
    "%p2 = uniform\n"
    "block 0: diverges\n"
    "block 3: joins\n" },
  { "a loop that lanes leave in different iterations", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " mov.u32 %r3, 0;"
    " mov.u32 %r5, 0;"
    " H: add.s32 %r3, %r3, 1;"
    " add.s32 %r5, %r5, 1;"
    " setp.lt.s32 %p2, %r3, %r1;"
    " @%p2 bra H;"
    " add.s32 %r4, %r5, 1;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r3 = uniform\n"
    "%r5 = varying\n"
    "%p2 = varying\n"
    "%r4 = varying\n"
    "block 1: diverges\n"
    "block 2: joins\n" },
  { "what is read inside of it only", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " mov.u32 %r3, 0;"
    " H: add.s32 %r3, %r3, 1;"
    " setp.lt.s32 %p2, %r3, %r1;"
    " @%p2 bra H;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r3 = uniform\n"
    "%p2 = varying\n"
    "block 1: diverges\n"
    "block 2: joins\n" },
  { "two exits that meet behind the loop", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " ld.param.u32 %r2, [n];"
    " mov.u32 %r3, 0;"
    " H: add.s32 %r3, %r3, 1;"
    " setp.gt.s32 %p3, %r3, %r2;"
    " @%p3 bra X;"
    " setp.lt.s32 %p2, %r3, %r1;"
    " @%p2 bra H;"
    " mov.u32 %r5, 1;"
    " bra J;"
    " X: mov.u32 %r5, 2;"
    " J: add.s32 %r4, %r5, 1;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r2 = uniform (param 8)\n"
    "%r3 = uniform\n"
    "%p3 = uniform\n"
    "%p2 = varying\n"
    "%r5 = varying\n"
    "%r4 = varying\n"
    "block 2: diverges\n"
    "block 3: joins\n"
    "block 4: joins\n"
    "block 5: joins\n" },
  { "lanes that go back from two places", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " mov.u32 %r3, 0;"
    " H: add.s32 %r3, %r3, 1;"
    " setp.eq.s32 %p3, %r3, %r1;"
    " @%p3 bra H;"
    " setp.lt.s32 %p2, %r3, 9;"
    " @%p2 bra H;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r3 = varying\n"
    "%p3 = varying\n"
    "%p2 = varying\n"
    "block 1: diverges ragged\n"
    "block 2: diverges\n"
    "block 3: joins\n" },
  { "a loop with two ways in", PTX_BLOCKS_WARPS,
    "mov.u32 %r3, 0;"
    " ld.param.u32 %r2, [n];"
    " setp.lt.s32 %p1, %r2, 9;"
    " @%p1 bra B;"
    " A: add.s32 %r3, %r3, 1;"
    " B: add.s32 %r3, %r3, 2;"
    " setp.lt.s32 %p2, %r3, 9;"
    " @%p2 bra A;",
    "%r3 = varying (many)\n"
    "%r2 = varying (many)\n"
    "%p1 = varying (many)\n"
    "%p2 = varying (many)\n"
    "block 0: diverges\n"
    "block 1: diverges\n" },
  { "read before it is written", PTX_BLOCKS_WARPS,
    "add.s32 %r2, %r1, 1;"
    " mov.u32 %r1, 5;",
    "%r2 = varying\n"
    "%r1 = varying\n" },
  { "roots of more than one kind", PTX_BLOCKS_WARPS,
    "ld.param.u64 %d1, [p];"
    " mov.u64 %d2, s;"
    " ld.param.u32 %r1, [n];"
    " setp.lt.s32 %p1, %r1, 9;"
    " selp.b64 %d3, %d1, %d2, %p1;"
    " add.s64 %d4, %d1, 8;",
    "%d1 = uniform (param 0)\n"
    "%d2 = uniform (s)\n"
    "%r1 = uniform (param 8)\n"
    "%p1 = uniform\n"
    "%d3 = uniform (many)\n"
    "%d4 = uniform (param 0)\n" },
  { "narrow registers and a high part", PTX_BLOCKS_WARPS,
    "mov.u32 %r1, %tid.x;"
    " mul.hi.u32 %r2, %r1, 4;"
    " cvt.u64.u32 %d1, %r1;"
    " cvt.u32.u64 %r3, %d1;"
    " ld.param.u32 %r4, [n];"
    " add.cc.u32 %r5, %r4, %r4;"
    " addc.u32 %r6, %r4, %r4;",
    "%r1 = uniform *32 + 1 * lane\n"
    "%r2 = varying\n"
    "%d1 = uniform *32 + 1 * lane\n"
    "%r3 = uniform *32 + 1 * lane\n"
    "%r4 = uniform (param 8)\n"
    "%r5 = uniform (param 8)\n"
    "%r6 = varying\n" },
};

#endif
