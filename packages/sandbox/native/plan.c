// Reads the plan from the command line. Unknown words are an error: a misspelt restriction must not be a missing one.
#include "sandbox.h"
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// True for what lies inside the folder, not for the folder itself.
bool is_below(const char *path, const char *folder) {
  size_t length = strlen(folder);
  if (length == 1) return path[1] != '\0'; // everything is below "/"
  return strncmp(path, folder, length) == 0 && path[length] == '/';
}

const struct rule *rule_at(const struct plan *plan, const char *path) {
  for (int i = 0; i < plan->rule_count; i++)
    if (strcmp(plan->rules[i].path, path) == 0) return &plan->rules[i];
  return NULL;
}

enum access access_above(const struct rule *rule) { return rule->parent == NULL ? ACCESS_READ : rule->parent->access; }

// True where nothing that is outside shows, unless a rule shows it.
bool is_in_stand_in(const struct rule *rule) { return rule->parent != NULL && rule->parent->stand_in != STAND_IN_NONE; }

static int by_length(const void *a, const void *b) {
  size_t left = ((const struct rule *)a)->length, right = ((const struct rule *)b)->length;
  return left < right ? -1 : left > right;
}

// Like is_below, for the many comparisons of all rules with each other: most differ at the place of the slash.
bool is_rule_below(const struct rule *rule, const struct rule *other) {
  size_t length = other->length == 1 ? 0 : other->length;
  return rule->length > other->length && rule->path[length] == '/' && memcmp(rule->path, other->path, length) == 0;
}

// Parents stand before their children, so the last match is the nearest.
static void sort_rules(struct plan *plan) {
  qsort(plan->rules, (size_t)plan->rule_count, sizeof *plan->rules, by_length);
  for (struct rule *rule = plan->rules; rule < plan->rules + plan->rule_count; rule++)
    for (const struct rule *other = plan->rules; other < rule; other++)
      if (is_rule_below(rule, other)) rule->parent = other;
}

static bool to_number(const char *text, uint64_t *number) {
  char *end;
  errno = 0;
  *number = strtoull(text, &end, 10);
  return errno == 0 && *text >= '0' && *text <= '9' && *end == '\0';
}

static bool to_layer(const char *text, enum layer *layer) {
  const char *names[] = {"none", "landlock", "namespaces"};
  for (int i = 0; i < 3; i++)
    if (strcmp(text, names[i]) == 0) {
      *layer = (enum layer)i;
      return true;
    }
  return false;
}

static bool to_rule(const char *word, const char *path, struct rule *rule) {
  static const struct {
    const char *word;
    enum access access;
    enum guard guard;
  } kinds[] = {{"--hide", ACCESS_HIDE, NO_GUARD},
               {"--read", ACCESS_READ, NO_GUARD},
               {"--write", ACCESS_WRITE, NO_GUARD},
               {"--guard-existing", ACCESS_READ, GUARD_EXISTING},
               {"--guard-folder", ACCESS_READ, GUARD_FOLDER},
               {"--guard-absent", ACCESS_READ, GUARD_ABSENT},
               {"--guard-scratch", ACCESS_READ, GUARD_SCRATCH}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strcmp(word, kinds[i].word) == 0) {
      *rule = (struct rule){.path = path, .length = strlen(path), .access = kinds[i].access, .guard = kinds[i].guard};
      return true;
    }
  return false;
}

// Reads a rule that puts something else at its path: gives the number of words that it took, or 0 for another option.
static int to_stand_in(const char *word, char **values, int count, struct rule *rule) {
  bool overlay = strcmp(word, "--overlay") == 0, empty = strcmp(word, "--empty") == 0;
  int needed = overlay ? 4 : empty ? 1 : 2;
  if ((!overlay && !empty && strcmp(word, "--folder") != 0) || count < needed) return 0;
  *rule = (struct rule){.path = values[0],
                        .length = strlen(values[0]),
                        .access = empty ? ACCESS_HIDE : ACCESS_WRITE,
                        .stand_in = overlay ? STAND_IN_OVERLAY : empty ? STAND_IN_EMPTY : STAND_IN_FOLDER,
                        .source = empty ? NULL : values[1],
                        .upper = overlay ? values[2] : NULL,
                        .work = overlay ? values[3] : NULL};
  return needed;
}

// ADDRESS:PORT=TARGET; without a target it is the proxy itself.
static bool to_proxy_place(char *text, struct proxy_place *place) {
  char *target = strchr(text, '='), *port = strchr(text, ':');
  uint64_t number;
  if (target == NULL || port == NULL || port > target) return false;
  *target++ = '\0';
  *port++ = '\0';
  if (inet_pton(AF_INET, text, &place->address) != 1 || !to_number(port, &number) || number == 0 || number > 65535) return false;
  place->port = (uint16_t)number;
  place->target = *target == '\0' ? NULL : target;
  return true;
}

static bool to_network(const char *text, enum network *network) {
  const char *names[] = {"off", "on", "by-name"};
  for (int i = 0; i < 3; i++)
    if (strcmp(text, names[i]) == 0) {
      *network = (enum network)i;
      return true;
    }
  return false;
}

static int complain(const char *what, const char *word) {
  fprintf(stderr, "signalbox-sandbox: %s: %s\n", what, word);
  return 64;
}

// Reads the proxy of a network, and whose loopback it is on. False for another option; `problem` says what is wrong with the value.
static bool read_network_option(struct plan *plan, const char *word, char *value, const char **problem) {
  if (strcmp(word, "--network") == 0) {
    if (!to_network(value, &plan->network)) *problem = "unknown network setting";
  } else if (strcmp(word, "--proxy") == 0) {
    plan->proxy = value;
  } else if (strcmp(word, "--proxy-at") == 0) {
    if (!to_proxy_place(value, &plan->proxy_places[plan->proxy_count++])) *problem = "not ADDRESS:PORT=TARGET";
  } else if (strcmp(word, "--loopback") == 0) {
    plan->loopback = value;
  } else {
    return false;
  }
  return true;
}

// For a holder: the socket at which it takes orders, and its proxy, if it has one.
int read_hold_plan(struct plan *plan, int count, char **arguments) {
  *plan = (struct plan){.proxy_places = calloc((size_t)count + 1, sizeof *plan->proxy_places)};
  if (plan->proxy_places == NULL) return complain("out of memory", "proxy places");
  for (int i = 0; i < count; i += 2) {
    const char *problem = NULL;
    if (i + 1 == count) return complain("value missing after", arguments[i]);
    if (!read_network_option(plan, arguments[i], arguments[i + 1], &problem)) return complain("unknown option", arguments[i]);
    if (problem != NULL) return complain(problem, arguments[i + 1]);
  }
  if (plan->loopback == NULL) return complain("no socket", "expected --loopback");
  if ((plan->proxy == NULL) != (plan->proxy_count == 0)) return complain("a proxy needs a socket and a place", "--proxy");
  return 0;
}

int read_plan(struct plan *plan, int count, char **arguments) {
  *plan = (struct plan){.layer = LAYER_NAMESPACES, .landlock_abi = landlock_abi(), .working_folder = "/", .holder = -1};
  plan->rules = calloc((size_t)count + 1, sizeof *plan->rules);
  plan->proxy_places = calloc((size_t)count + 1, sizeof *plan->proxy_places);
  plan->links = calloc((size_t)count + 1, sizeof *plan->links);
  if (plan->rules == NULL || plan->proxy_places == NULL || plan->links == NULL) return complain("out of memory", "rules");
  for (int i = 0; i < count; i++) {
    char *word = arguments[i];
    if (strcmp(word, "--") == 0) {
      plan->command = arguments + i + 1;
      break;
    }
    if (++i == count) return complain("value missing after", word);
    char *value = arguments[i];
    uint64_t number = 0;
    const char *problem = NULL;
    int taken = to_rule(word, value, &plan->rules[plan->rule_count])
                    ? 1
                    : to_stand_in(word, arguments + i, count - i, &plan->rules[plan->rule_count]);
    if (taken > 0) {
      for (int each = 0; each < taken; each++)
        if (arguments[i + each][0] != '/') return complain("not an absolute path", arguments[i + each]);
      i += taken - 1;
      plan->rule_count++;
    } else if (strcmp(word, "--cwd") == 0) {
      plan->working_folder = value;
    } else if (strcmp(word, "--env") == 0) {
      // Set here and not in the helper's own environment, where LD_PRELOAD and its like would act before any limit.
      if (putenv(value) != 0) return complain("cannot set", value);
    } else if (strcmp(word, "--layer") == 0) {
      if (!to_layer(value, &plan->layer)) return complain("unknown layer", value);
    } else if (read_network_option(plan, word, value, &problem)) {
      if (problem != NULL) return complain(problem, value);
    } else if (strcmp(word, "--link") == 0) {
      if (value[0] != '/' || i + 1 == count || arguments[i + 1][0] != '/') return complain("not two absolute paths", word);
      plan->links[plan->link_count++] = (struct link_place){.path = value, .target = arguments[++i]};
    } else if (strcmp(word, "--hosts") == 0) {
      plan->hosts = value;
    } else if (strcmp(word, "--streams") == 0) {
      if (strcmp(value, "joined") != 0 && strcmp(value, "own") != 0) return complain("unknown stream setting", value);
      plan->own_streams = strcmp(value, "own") == 0;
    } else if (strcmp(word, "--end") == 0) {
      if (strcmp(value, "reported") != 0 && strcmp(value, "same") != 0) return complain("unknown end setting", value);
      plan->same_end = strcmp(value, "same") == 0;
    } else if (!to_number(value, &number)) {
      return complain("unknown option or bad number", word);
    } else if (strcmp(word, "--processes") == 0) {
      plan->processes = number;
    } else if (strcmp(word, "--memory") == 0) {
      plan->memory = number;
    } else if (strcmp(word, "--file-size") == 0) {
      plan->file_size = number;
    } else if (strcmp(word, "--landlock-abi") == 0) {
      if (number < (uint64_t)plan->landlock_abi) plan->landlock_abi = (int)number;
    } else {
      return complain("unknown option", word);
    }
  }
  if (plan->command == NULL || plan->command[0] == NULL) return complain("no command", "expected -- COMMAND");
  if (plan->layer != LAYER_NONE && plan->rule_count == 0) return complain("no rules", "expected --read /");
  // What cannot be held must not look as if it were.
  bool has_proxy = plan->loopback != NULL || (plan->proxy != NULL && plan->proxy_count > 0);
  if (plan->network == NETWORK_BY_NAME && (!has_proxy || plan->layer != LAYER_NAMESPACES))
    return complain("a network by name needs namespaces and a proxy", "--network by-name");
  if (plan->loopback != NULL && plan->layer != LAYER_NAMESPACES) return complain("a shared loopback needs namespaces", "--loopback");
  for (int i = 0; i < plan->rule_count; i++)
    if (plan->rules[i].stand_in > STAND_IN_EMPTY && plan->layer != LAYER_NAMESPACES)
      return complain("another folder at a path needs namespaces", plan->rules[i].path);
  if (plan->link_count > 0 && plan->layer != LAYER_NAMESPACES) return complain("a link needs namespaces", "--link");
  sort_rules(plan);
  return 0;
}
