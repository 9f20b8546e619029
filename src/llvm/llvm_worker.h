/* llvm_worker.h: what the process that compiles (llvm_worker.c) and the one that started it say to
 * each other, in frames (lcu_frame.h) over the worker's standard input.
 *
 * The worker begins: status; message, or the file of libLLVM; its version ("19.1.7").
 * A request: 0; the processor's name; the text.
 * The answer: status; message; the object.
 *
 * After a fatal error of LLVM the worker sends what it can say about it as the answer, or to begin
 * with, and ends. It ends as soon as the other end is closed, whatever it does, and after
 * LLVM_WORKER_IDLE_MS without a request. */
#ifndef LLVM_WORKER_H
#define LLVM_WORKER_H

#define LLVM_WORKER_PROGRAM "luacuda-llvm"

enum { LLVM_WORKER_IDLE_MS = 10000 };

#endif
