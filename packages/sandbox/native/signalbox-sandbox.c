// signalbox-sandbox: runs commands that can only touch what they may (`run` one; `serve` one after another, and the processes that keep
// the loopback which the commands of a session share), or one program whose descendants all end with it (`supervise`); says what changes
// in a folder (`watch`). Used by @signalbox/sandbox; docs/sandbox.md says what each layer protects.
#include "sandbox.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int usage(void) {
  fprintf(stderr, "usage: signalbox-sandbox run [OPTIONS] -- COMMAND\n"
                  "       signalbox-sandbox serve ADDRESS\n"
                  "       signalbox-sandbox supervise [--lifeline FD] -- COMMAND\n"
                  "       signalbox-sandbox watch FOLDER\n"
                  "       signalbox-sandbox probe\n");
  return 64;
}

int main(int count, char **arguments) {
  if (count < 2) return usage();
  if (strcmp(arguments[1], "run") == 0) {
    struct plan plan;
    int problem = read_plan(&plan, count - 2, arguments + 2);
    if (problem != 0) return problem;
    open_report(CONTROL);
    return run(&plan, getppid());
  }
  if (strcmp(arguments[1], "serve") == 0 && count == 3) return serve(arguments[2]);
  if (strcmp(arguments[1], "supervise") == 0) {
    int lifeline = -1, next = 2;
    if (count > 3 && strcmp(arguments[2], "--lifeline") == 0) {
      lifeline = atoi(arguments[3]);
      next = 4;
    }
    if (next + 1 >= count || strcmp(arguments[next], "--") != 0) return usage();
    return supervise(lifeline, arguments + next + 1);
  }
  if (strcmp(arguments[1], "watch") == 0 && count == 3) return watch_changes(arguments[2]);
  if (strcmp(arguments[1], "probe") == 0 && count == 2) {
    printf("landlock %d\n", landlock_abi());
    return 0;
  }
  return usage();
}
