// `serve`: stands by and starts commands for a parent to which a fork of its own is dear (a Node process copies megabytes
// of page tables for each). Every command gets a process of ours that connects back to the parent, once for the output and
// once for the report, and then does what `run` does.
#define _GNU_SOURCE
#include "sandbox.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define REQUESTS 0
#define MAX_BYTES (64u << 20)

extern char **environ;

// False when the parent is gone.
static bool read_whole(void *buffer, size_t size) {
  for (size_t have = 0; have < size;) {
    ssize_t got = read(REQUESTS, (char *)buffer + have, size - have);
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

// A request: the token, how many arguments, the arguments of `run`, the environment; each ends with a zero byte.
__attribute__((noreturn)) static void become_run(char *request, char *end, int output, int control, pid_t host) {
  size_t most = 0;
  for (char *byte = request; byte < end; byte++) most += *byte == '\0';
  char **words = calloc(most + 1, sizeof *words);
  if (words == NULL) _exit(125);
  size_t count = 0;
  for (char *word = request; word < end; word += strlen(word) + 1) words[count++] = word;
  long arguments = count < 2 ? -1 : atol(words[1]);
  if (arguments < 0 || (size_t)arguments > count - 2) _exit(125);
  char **own = calloc((size_t)arguments + 1, sizeof *own);
  if (own == NULL) _exit(125);
  memcpy(own, words + 2, (size_t)arguments * sizeof *own);
  environ = words + 2 + arguments;
  signal(SIGCHLD, SIG_DFL);
  // Nothing to read; also, the requests are not a command's business.
  if (dup2(2, REQUESTS) < 0 || dup2(output, OUTPUT) < 0 || dup2(control, CONTROL) < 0) _exit(125);
  if (output != CONTROL) close(output);
  if (control != CONTROL) close(control);
  // Not before the parent has taken both: what it does not know of must not run.
  char go;
  if (read(CONTROL, &go, 1) != 1) _exit(125);
  open_report(CONTROL);
  struct plan plan;
  if (read_plan(&plan, (int)arguments, own) == 0) _exit(run(&plan, host));
  report("error the sandbox helper does not fit this version; compile it again");
  _exit(64);
}

int serve(const char *address) {
  pid_t host = getppid();
  setsid(); // a Ctrl-C in the parent's terminal is the parent's to deal with
  signal(SIGCHLD, SIG_IGN);
  signal(SIGPIPE, SIG_IGN); // a parent with no descriptor left hangs up on us: no reason to die, with all that runs
  for (uint32_t size; read_whole(&size, sizeof size);) {
    if (size > MAX_BYTES) return 125;
    char *request = malloc(size + 1);
    if (request == NULL || !read_whole(request, size)) return 125;
    request[size] = '\0';
    // Connected here and not by the fork: whatever becomes of that, or if there is none, the parent sees its lines close.
    int output = connect_back(address, 'o', request), control = connect_back(address, 'c', request);
    pid_t command = output < 0 || control < 0 ? -1 : fork();
    if (command == 0) become_run(request, request + size, output, control, host);
    if (command < 0 && control >= 0) dprintf(control, "error cannot start a process: %s\n", strerror(errno));
    if (output >= 0) close(output);
    if (control >= 0) close(control);
    free(request);
  }
  return 0;
}
