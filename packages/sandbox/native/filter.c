// Turns the table of calls into BPF. The calls form a search tree: the kernel runs the filter once for each existing call
// when it is installed, so the length of a path through it is what every command pays for.
#define _GNU_SOURCE
#include "filter.h"
#include "sandbox.h"
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  LOAD = 0x20,
  AND = 0x54,
  JUMP = 0x05,
  JUMP_IF_EQUAL = 0x15,
  JUMP_IF_ABOVE = 0x25,
  JUMP_IF_AT_LEAST = 0x35,
  JUMP_IF_ANY_BIT = 0x45,
  RETURN = 0x06,
};

#define MAX_CALLS 128
#define CALLS_IN_A_LEAF 6
static struct call calls[MAX_CALLS];
static int call_count;
static struct bpf_instruction code[1024];
static int code_length;

struct call *add_call(long number, uint32_t otherwise) {
  if (call_count == MAX_CALLS) fail("the system call filter is too long");
  calls[call_count] = (struct call){.first = (uint32_t)number, .last = (uint32_t)number, .otherwise = otherwise};
  return &calls[call_count++];
}

void add_test(struct call *call, struct test test) {
  if (call->test_count == sizeof call->tests / sizeof *call->tests) fail("too many tests of one system call");
  call->tests[call->test_count++] = test;
}

static int by_number(const void *a, const void *b) {
  uint32_t left = ((const struct call *)a)->first, right = ((const struct call *)b)->first;
  return left < right ? -1 : left > right;
}

static void join_neighbours(void) {
  int kept = 0;
  qsort(calls, (size_t)call_count, sizeof *calls, by_number);
  for (int i = 1; i < call_count; i++) {
    struct call *before = &calls[kept];
    if (before->last + 1 == calls[i].first && before->otherwise == calls[i].otherwise &&
        before->test_count + calls[i].test_count == 0)
      before->last = calls[i].last;
    else
      calls[++kept] = calls[i];
  }
  call_count = kept + 1;
}

static int emit(uint16_t operation, uint32_t k, uint8_t if_true, uint8_t if_false) {
  if (code_length == sizeof code / sizeof *code) fail("the system call filter is too long");
  code[code_length] = (struct bpf_instruction){operation, if_true, if_false, k};
  return code_length++;
}

static void emit_answer(const struct call *call) {
  for (const struct test *test = call->tests; test < call->tests + call->test_count; test++) {
    emit(LOAD, (uint32_t)(offsetof(struct kernel_seccomp_data, args) + sizeof(uint64_t) * test->argument), 0, 0);
    if (test->kind == HAS_ANY_BIT) {
      emit(JUMP_IF_ANY_BIT, test->mask, 0, 1);
    } else {
      if (test->mask != ~0u) emit(AND, test->mask, 0, 0);
      emit(JUMP_IF_EQUAL, test->value, 0, 1);
    }
    emit(RETURN, test->answer, 0, 0);
  }
  emit(RETURN, call->otherwise, 0, 0);
}

static void emit_leaf(const struct call *call) {
  if (call->first < call->last) emit(JUMP_IF_AT_LEAST, call->first, 1, 0);
  if (call->first < call->last) emit(RETURN, SECCOMP_RET_ALLOW, 0, 0); // a gap before it: all later ones are higher
  int skip = emit(call->first < call->last ? JUMP_IF_ABOVE : JUMP_IF_EQUAL, call->last, 0, 0);
  emit_answer(call);
  uint8_t distance = (uint8_t)(code_length - skip - 1);
  if (call->first < call->last)
    code[skip].jump_true = distance;
  else
    code[skip].jump_false = distance;
}

// Conditional jumps reach 255 instructions, so a far side is always reached by a plain jump.
static void emit_tree(int from, int to) {
  if (to - from <= CALLS_IN_A_LEAF) {
    for (int i = from; i < to; i++) emit_leaf(&calls[i]);
    emit(RETURN, SECCOMP_RET_ALLOW, 0, 0);
    return;
  }
  int middle = (from + to) / 2;
  emit(JUMP_IF_AT_LEAST, calls[middle].first, 0, 1);
  int far_jump = emit(JUMP, 0, 0, 0);
  emit_tree(from, middle);
  code[far_jump].k = (uint32_t)(code_length - far_jump - 1);
  emit_tree(middle, to);
}

int install_filter(bool with_listener) {
#ifdef __x86_64__
  add_call(0x40000000, SECCOMP_RET_KILL_PROCESS)->last = ~0u; // the x32 twins of all calls
#endif
  join_neighbours();
  emit(LOAD, offsetof(struct kernel_seccomp_data, arch), 0, 0);
  emit(JUMP_IF_EQUAL, AUDIT_ARCH_NATIVE, 1, 0);
  emit(RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
  emit(LOAD, offsetof(struct kernel_seccomp_data, nr), 0, 0);
  emit_tree(0, call_count);
  struct bpf_program program = {.length = (unsigned short)code_length, .filter = code};
  unsigned flags = with_listener ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0;
  int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  if (listener < 0) fail("cannot apply the system call filter");
  return with_listener ? listener : -1;
}
