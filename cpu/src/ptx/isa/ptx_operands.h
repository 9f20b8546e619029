/* ptx_operands.h: which operands a matched instruction takes, and whether it reads or writes
 * them. */
#ifndef PTX_OPERANDS_H
#define PTX_OPERANDS_H

#include "ptx_ast.h"

/* What an instruction does with an operand: bits; each register of a vector alike. */
enum { PTX_READ = 1, PTX_WRITE = 2 };
int ptx_operand_role (const ptx_inst *inst, int operand);

/* Whether the number of operands, and a pair d|p, are as the row of ptx_ops.def says. */
bool ptx_operands_fit (const ptx_inst *inst);

/* Calls each(ud, reg, role) for every register of an operand, items of vectors and lists and bases
 * of addresses included. */
typedef void (*ptx_reg_visit)(void *ud, ptx_reg *reg, int role);
void ptx_operand_visit_regs (const ptx_operand *o, int role, ptx_reg_visit each, void *ud);

/* The same for all operands and the guard. What a guarded instruction writes it also reads: lanes
 * that are off keep the old value. */
void ptx_inst_visit_regs (const ptx_inst *inst, ptx_reg_visit each, void *ud);

#endif
