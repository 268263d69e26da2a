// Drives a fuzz target where there is no libFuzzer: changes inputs of the corpus at random, from a seed. Usage: SEED SECONDS FILE...
#include <sanitizer/common_interface_defs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_BYTES 4096
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t state;
static uint8_t input[MOST_BYTES];
static size_t size;

static uint64_t next(void) { // xorshift64*
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return state * 2685821657736338717u;
}
static size_t below(size_t bound) { return bound == 0 ? 0 : next() % bound; }

static void show_input(void) {
  fputs("\nThe input was:\n", stderr);
  fwrite(input, 1, size, stderr);
}

static void load(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) exit(2);
  size = fread(input, 1, sizeof input, file);
  fclose(file);
}

// Where a line begins, which may be the end.
static size_t line(void) {
  size_t at = below(size + 1);
  while (at > 0 && input[at - 1] != '\n') at--;
  return at;
}

static void change(const char *other) {
  static uint8_t piece[MOST_BYTES];
  size_t at = below(size), from = line(), until = line(), length;
  switch (below(6)) {
  case 0: // another byte
    if (size > 0) input[at] = below(4) == 0 ? (uint8_t)next() : (uint8_t)"/-=:\n0a."[below(8)];
    return;
  case 1: // lines that are missing
    if (from < until) memmove(input + from, input + until, size - until), size -= until - from;
    return;
  case 2: // the end is missing
    size = at;
    return;
  case 3: // lines twice
    if (until < from) at = from, from = until, until = at;
    length = until - from;
    break;
  default: // a piece of another input
    memcpy(piece, input, size);
    length = size;
    load(other);
    from = line(), until = line();
    if (until < from) at = from, from = until, until = at;
    memmove(input, input + from, until - from);
    size = until - from;
    if (size + length > MOST_BYTES) length = MOST_BYTES - size;
    memcpy(input + size, piece, length);
    size += length;
    return;
  }
  if (size + length > MOST_BYTES) return;
  memcpy(piece, input + from, length);
  at = line();
  memmove(input + at + length, input + at, size - at);
  memcpy(input + at, piece, length);
  size += length;
}

int main(int count, char **arguments) {
  if (count < 4) return 64;
  state = strtoull(arguments[1], NULL, 10) * 2 + 1;
  time_t end = time(NULL) + atol(arguments[2]);
  unsigned long runs = 0;
  __sanitizer_set_death_callback(show_input);
  for (int i = 3; i < count; i++) load(arguments[i]), LLVMFuzzerTestOneInput(input, size);
  for (; time(NULL) < end; runs++) {
    load(arguments[3 + below((size_t)count - 3)]);
    for (size_t changes = 1 + below(8); changes > 0; changes--) change(arguments[3 + below((size_t)count - 3)]);
    LLVMFuzzerTestOneInput(input, size);
  }
  printf("%lu runs from seed %s, none failed\n", runs, arguments[1]);
  return 0;
}
