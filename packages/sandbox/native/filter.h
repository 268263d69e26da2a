// A seccomp filter as a table: for each system call tests of its arguments, and an answer if none of them matches.
// Calls that are not in the table are allowed.
#pragma once
#include "kernel.h"
#include <stdbool.h>

struct test {
  uint8_t argument;
  enum { MASKED_EQUALS, HAS_ANY_BIT } kind;
  uint32_t mask, value; // only the lower half of an argument: flags, numbers and modes are 32 bits wide
  uint32_t answer;
};

struct call {
  uint32_t first, last; // one number, or neighbours with the same answer
  uint32_t otherwise;
  struct test tests[8];
  int test_count;
};

struct call *add_call(long number, uint32_t otherwise);
void add_test(struct call *call, struct test test);
// Returns the descriptor on which the calls to be decided arrive, or -1 where none are.
int install_filter(bool with_listener);
