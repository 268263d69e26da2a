// Feeds anything to the reader of plans, one word a line, and checks of each plan that is accepted what the rest of the helper relies on.
#define _GNU_SOURCE
#include <stdio.h>
#define fprintf(...) 0 // complaints, of which there are many thousands a second
#include "../plan.c"
#undef fprintf

#define MOST_WORDS 4096

int landlock_abi(void) { return 6; }

static void check(bool holds) {
  if (!holds) __builtin_trap();
}

static void check_plan(const struct plan *plan, int count) {
  check(plan->command != NULL && plan->command[0] != NULL);
  check(plan->rule_count + plan->proxy_count + plan->link_count <= count);
  check(plan->layer == LAYER_NONE || plan->rule_count > 0);
  check(plan->layer == LAYER_NAMESPACES || (plan->network != NETWORK_BY_NAME && plan->loopback == NULL && plan->link_count == 0));
  check(plan->landlock_abi >= 0 && plan->landlock_abi <= landlock_abi());
  for (int i = 0; i < plan->rule_count; i++) {
    const struct rule *rule = &plan->rules[i];
    check(rule->path[0] == '/' && rule->length == strlen(rule->path));
    check(rule->parent == NULL || (rule->parent < rule && is_below(rule->path, rule->parent->path)));
  }
  for (int i = 0; i < plan->link_count; i++) check(plan->links[i].path[0] == '/' && plan->links[i].target[0] == '/');
  for (int i = 0; i < plan->proxy_count; i++) check(plan->proxy_places[i].port != 0);
}

static void read_as(int (*read)(struct plan *, int, char **), const uint8_t *data, size_t size, bool is_run) {
  char *text = malloc(size + 1), *words[MOST_WORDS + 1];
  int count = 0;
  memcpy(text, data, size);
  text[size] = '\0';
  for (char *rest = text, *word; (word = strsep(&rest, "\n")) != NULL && count < MOST_WORDS;) words[count++] = word;
  words[count] = NULL;
  struct plan plan;
  if (read(&plan, count, words) == 0 && is_run) check_plan(&plan, count);
  free(plan.rules);
  free(plan.proxy_places);
  free(plan.links);
  clearenv(); // it points into the text
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  read_as(read_plan, data, size, true);
  read_as(read_hold_plan, data, size, false);
  return 0;
}
