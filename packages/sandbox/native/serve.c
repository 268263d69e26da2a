// `serve`: stands by and starts commands for a parent to which a fork of its own is dear (a Node process copies megabytes
// of page tables for each). Every command gets a process of ours that is connected to the parent, once for the output and
// once for the report, waits for the command there, and then does what `run` does. It can be started before there is a command.
// The loopback of a session is kept by such a process too (`hold`).
#define _GNU_SOURCE
#include "sandbox.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define REQUESTS 0
#define MAX_BYTES (64u << 20)
#define TOKEN_LENGTH 32

extern char **environ;

// False when the parent is gone.
static bool read_whole(int from, void *buffer, size_t size) {
  for (size_t have = 0; have < size;) {
    ssize_t got = read(from, (char *)buffer + have, size - have);
    if (got == 0 || (got < 0 && errno != EINTR)) return false;
    if (got > 0) have += (size_t)got;
  }
  return true;
}

// The address is abstract: no file is left behind, whichever process dies. The token says which command this is, and to the parent
// that we are no stranger. -1 when no one answers.
static int connect_back(const char *address, char role, const char *token) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  size_t length = strlen(address);
  char greeting[128];
  int size = snprintf(greeting, sizeof greeting, "%c%s\n", role, token);
  int line = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (line < 0 || length >= sizeof name.sun_path || size >= (int)sizeof greeting) return -1;
  memcpy(name.sun_path + 1, address, length);
  socklen_t used = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
  if (connect(line, (struct sockaddr *)&name, used) == 0 && write(line, greeting, (size_t)size) == size) return line;
  close(line);
  return -1;
}

// A message: its size, then words that each end with a zero byte. The list ends with NULL. NULL when none came.
static char **read_words(int from, size_t *count) {
  uint32_t size;
  if (!read_whole(from, &size, sizeof size)) return NULL;
  char *message = size > MAX_BYTES ? NULL : malloc(size + 1);
  if (message == NULL || !read_whole(from, message, size)) _exit(125);
  message[size] = '\0';
  size_t most = 0;
  for (char *byte = message; byte < message + size; byte++) most += *byte == '\0';
  char **words = calloc(most + 2, sizeof *words);
  if (words == NULL) _exit(125);
  *count = 0;
  for (char *word = message; word < message + size; word += strlen(word) + 1) words[(*count)++] = word;
  return words;
}

// How many arguments, `run` or `hold`, its arguments, the environment.
__attribute__((noreturn)) static void become(char **words, size_t count, pid_t host) {
  long arguments = count < 1 ? -1 : atol(words[0]);
  if (arguments < 1 || (size_t)arguments > count - 1) _exit(125);
  char **own = calloc((size_t)arguments + 1, sizeof *own);
  if (own == NULL) _exit(125);
  memcpy(own, words + 1, (size_t)arguments * sizeof *own);
  environ = words + 1 + arguments;
  open_report(CONTROL);
  struct plan plan;
  if (strcmp(own[0], "run") == 0 && read_plan(&plan, (int)arguments - 1, own + 1) == 0) _exit(run(&plan, host));
  if (strcmp(own[0], "hold") == 0 && read_hold_plan(&plan, (int)arguments - 1, own + 1) == 0) {
    report_alone();
    _exit(hold(&plan, CONTROL));
  }
  report("error the sandbox helper does not fit this version; compile it again");
  _exit(64);
}

// The parent sends a command only when it has taken both lines: what it does not know of does not run.
__attribute__((noreturn)) static void wait_for_command(int output, int control, pid_t server, pid_t host) {
  prctl(PR_SET_PDEATHSIG, SIGKILL); // until `run` has its own way to notice
  if (getppid() != server) _exit(125);
  signal(SIGCHLD, SIG_DFL);
  // Nothing to read; also, the requests are not a command's business.
  if (dup2(2, REQUESTS) < 0 || dup2(output, OUTPUT) < 0 || dup2(control, CONTROL) < 0) _exit(125);
  if (output != CONTROL) close(output);
  if (control != CONTROL) close(control);
  size_t count;
  char **words = read_words(CONTROL, &count);
  if (words == NULL) _exit(0); // it was not needed
  // From here on it counts as begun. A parent that sees the line close without this may try again.
  if (write(CONTROL, "b", 1) != 1) _exit(125);
  become(words, count, host);
}

int serve(const char *address) {
  pid_t host = getppid(), server = getpid();
  setsid(); // a Ctrl-C in the parent's terminal is the parent's to deal with
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, SIG_IGN); // a parent with no descriptor left hangs up on us: no reason to die, with all that runs
  for (char token[TOKEN_LENGTH + 1] = ""; read_whole(REQUESTS, token, TOKEN_LENGTH);) {
    // Connected here and not by the fork: whatever becomes of that, or if there is none, the parent sees its lines close.
    int output = connect_back(address, 'o', token), control = connect_back(address, 'c', token);
    pid_t command = output < 0 || control < 0 ? -1 : fork();
    if (command == 0) wait_for_command(output, control, server, host);
    if (command < 0 && control >= 0) dprintf(control, "error cannot start a process: %s\n", strerror(errno));
    if (output >= 0) close(output);
    if (control >= 0) close(control);
  }
  return 0;
}
