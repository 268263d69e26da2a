// The way to the egress proxy of a network by name. A sandbox has only a loopback, with a few listening places on it. A carrier, which
// stays outside, accepts what connects there and takes it to the proxy (carry.c).
#define _GNU_SOURCE
#include "sandbox.h"
#include "kernel.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MAX_PASSED 64 // descriptors in one message; the kernel allows 253

// Fails where the place is taken.
int listen_at(const struct proxy_place *place) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(place->port), .sin_addr = place->address};
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 128) != 0)
    fail("cannot listen on port %u of the private loopback", place->port);
  return listener;
}

bool pass_descriptors(int pair, const int *descriptors, int count) {
  char byte = (char)count, space[CMSG_SPACE(MAX_PASSED * sizeof(int))] = {0};
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space};
  message.msg_controllen = CMSG_SPACE((size_t)count * sizeof(int));
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN((size_t)count * sizeof(int));
  memcpy(CMSG_DATA(rights), descriptors, (size_t)count * sizeof(int));
  return sendmsg(pair, &message, MSG_NOSIGNAL) == 1;
}

// How many came; -1 for none.
int receive_descriptors(int pair, int *descriptors, int most) {
  char byte, space[CMSG_SPACE(MAX_PASSED * sizeof(int))] = {0};
  struct iovec data = {.iov_base = &byte, .iov_len = 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
  if (recvmsg(pair, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  if (rights == NULL || rights->cmsg_type != SCM_RIGHTS) return -1;
  int count = (int)((rights->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  if (count > most) return -1;
  memcpy(descriptors, CMSG_DATA(rights), (size_t)count * sizeof(int));
  return count;
}

// For the first process: a network of its own, and the listening places in it, which the carrier gets. A listening socket keeps its
// network, so what connects inside arrives outside.
void open_proxy_places(const struct plan *plan) {
  if (!enter_private_network()) fail("cannot make a private network");
  int listeners[MAX_PASSED];
  for (int begin = 0; begin < plan->proxy_count; begin += MAX_PASSED) {
    int count = plan->proxy_count - begin < MAX_PASSED ? plan->proxy_count - begin : MAX_PASSED;
    for (int i = 0; i < count; i++) listeners[i] = listen_at(&plan->proxy_places[begin + i]);
    if (!pass_descriptors(plan->proxy_pair, listeners, count)) fail("cannot pass on the places of the proxy");
    for (int i = 0; i < count; i++) close(listeners[i]);
  }
  close(plan->proxy_pair);
}

// Starts the carrier, before the namespaces are made. It keeps the machine's network and nothing else of what we have open, and ends with us.
int start_carrier(struct plan *plan) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return -1;
  pid_t supervisor = getpid(), carrier = fork();
  if (carrier < 0) return -1;
  if (carrier > 0) {
    close(pair[1]);
    plan->proxy_pair = pair[0];
    plan->carrier = carrier;
    return 0;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(0);
  signal(SIGPIPE, SIG_IGN);
  release_signals();
  int mine = dup2(pair[1], 0);
  if (mine != 0 || syscall(SYS_close_range, 1, ~0u, 0) != 0) _exit(1);
  int *listeners = calloc((size_t)plan->proxy_count, sizeof *listeners);
  for (int have = 0, got; listeners != NULL && have < plan->proxy_count; have += got) {
    got = receive_descriptors(mine, listeners + have, plan->proxy_count - have);
    if (got <= 0) _exit(1);
  }
  if (listeners != NULL) carry(&(struct carrying){.plan = plan, .listeners = listeners, .orders = -1, .lifeline = -1});
  _exit(1);
}
