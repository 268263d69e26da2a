// Sockets inside namespaces, decided by the first process while the caller waits. With the network off a command gets
// sockets of a private loopback; unix sockets always belong to the private network and connect only to listeners in it.
// Nothing is left to the caller's memory or descriptors after a decision: the first process acts itself.
#define _GNU_SOURCE
#include "kernel.h"
#include "sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

struct question {
  int listener;
  struct kernel_seccomp_notif call;
};

static void answer(const struct question *question, int error) {
  struct kernel_seccomp_notif_resp response = {.id = question->call.id, .error = -error};
  ioctl(question->listener, NOTIF_SEND, &response); // a caller that is gone needs no answer
}

// Gives the caller the socket as a new descriptor, whose number is the answer.
static void answer_with_socket(const struct question *question, int socket, bool close_on_exec) {
  struct kernel_seccomp_notif_addfd gift = {.id = question->call.id,
                                            .flags = ADDFD_SEND,
                                            .srcfd = (uint32_t)socket,
                                            .newfd_flags = close_on_exec ? O_CLOEXEC : 0};
  if (ioctl(question->listener, NOTIF_ADDFD, &gift) < 0) answer(question, EMFILE);
}

// A network with nothing in it but a loopback. Costs most of a millisecond, so only commands that use sockets pay.
static bool entered;

bool enter_private_network(void) {
  if (entered) return true;
  if (unshare(CLONE_NEWNET) != 0) return false;
  int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  if (any < 0 || ioctl(any, SIOCSIFFLAGS, &loopback) != 0) return false;
  close(any);
  return entered = true;
}

// It is private already: the session's.
void stay_in_this_network(void) { entered = true; }

// With the network on the filter allows internet sockets itself and asks about the others only.
static void answer_socket(const struct question *question) {
  int domain = (int)question->call.data.args[0], type = (int)question->call.data.args[1];
  int protocol = (int)question->call.data.args[2], kind = type & 0xf;
  bool stream = kind == SOCK_STREAM || kind == SOCK_SEQPACKET;
  bool allowed = ((domain == AF_INET || domain == AF_INET6) && (stream || kind == SOCK_DGRAM)) ||
                 (domain == AF_UNIX && stream) || (domain == AF_NETLINK && protocol == 0);
  if (!allowed || !enter_private_network()) {
    answer(question, EACCES);
    return;
  }
  int made = socket(domain, type | SOCK_CLOEXEC, protocol);
  if (made < 0) {
    answer(question, errno);
    return;
  }
  answer_with_socket(question, made, type & SOCK_CLOEXEC);
  close(made);
}

// The caller's own socket, whichever of its threads asked.
static int take_descriptor(const struct question *question) {
  const unsigned any_thread = O_EXCL; // PIDFD_THREAD, since Linux 6.9
  pid_t thread = (pid_t)question->call.pid, process = thread;
  int caller = (int)syscall(SYS_pidfd_open, thread, any_thread);
  if (caller < 0) {
    char path[64], line[128];
    snprintf(path, sizeof path, "/proc/%d/status", (int)thread);
    FILE *status = fopen(path, "re");
    while (status != NULL && fgets(line, sizeof line, status) != NULL && sscanf(line, "Tgid: %d", &process) != 1) continue;
    if (status != NULL) fclose(status);
    caller = (int)syscall(SYS_pidfd_open, process, 0);
  }
  int taken = caller < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, caller, (int)question->call.data.args[0], 0);
  int error = errno;
  if (caller >= 0) close(caller);
  errno = error;
  return taken;
}

static bool read_address(const struct question *question, struct sockaddr_storage *address, size_t length) {
  struct iovec here = {.iov_base = address, .iov_len = length};
  struct iovec there = {.iov_base = (void *)(uintptr_t)question->call.data.args[1], .iov_len = length};
  if (process_vm_readv((pid_t)question->call.pid, &here, 1, &there, 1, 0) != (ssize_t)length) return false;
  // Only now is it certain that it was the caller's memory and not that of a later process with the same number.
  return ioctl(question->listener, NOTIF_ID_VALID, &question->call.id) == 0;
}

// Opens what the address names, so that it cannot change between here and connect, and makes the address lead there.
static int open_named_socket(const struct question *question, struct sockaddr_un *address, size_t *length) {
  char name[sizeof address->sun_path + 1] = {0}, path[sizeof name + 32];
  memcpy(name, address->sun_path, *length - offsetof(struct sockaddr_un, sun_path));
  if (name[0] == '/')
    snprintf(path, sizeof path, "%s", name);
  else
    snprintf(path, sizeof path, "/proc/%u/cwd/%s", question->call.pid, name);
  int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return -1;
  int written = snprintf(address->sun_path, sizeof address->sun_path, "/proc/self/fd/%d", place);
  *length = offsetof(struct sockaddr_un, sun_path) + (size_t)written + 1;
  return place;
}

// A process outside has no number in here. The last word about a connection that already stands.
static bool peer_is_inside(int socket) {
  struct ucred peer = {0};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid > 0;
}

static bool closes_on_exec(const struct question *question) {
  char path[64], line[128];
  unsigned flags = 0;
  snprintf(path, sizeof path, "/proc/%u/fdinfo/%d", question->call.pid, (int)question->call.data.args[0]);
  FILE *info = fopen(path, "re");
  while (info != NULL && fgets(line, sizeof line, info) != NULL && sscanf(line, "flags: %o", &flags) != 1) continue;
  if (info != NULL) fclose(info);
  return flags & O_CLOEXEC;
}

// Puts our socket in the place of the caller's, as which it then counts.
static int put_in_place(const struct question *question, int original, int mine) {
  struct kernel_seccomp_notif_addfd replacement = {.id = question->call.id,
                                                   .flags = ADDFD_SETFD,
                                                   .srcfd = (uint32_t)mine,
                                                   .newfd = (uint32_t)question->call.data.args[0],
                                                   .newfd_flags = closes_on_exec(question) ? O_CLOEXEC : 0};
  if (fcntl(mine, F_SETFL, fcntl(original, F_GETFL)) != 0) return errno;
  return ioctl(question->listener, NOTIF_ADDFD, &replacement) < 0 ? errno : 0;
}

// Connects a socket of our own, looks who is at the other end, and only then puts it in the place of the caller's.
static int replace_by_connected(const struct question *question, int original, const struct sockaddr_un *address,
                                size_t length) {
  int kind = 0, error = 0;
  socklen_t size = sizeof kind;
  if (getsockopt(original, SOL_SOCKET, SO_TYPE, &kind, &size) != 0) return errno;
  int mine = socket(AF_UNIX, kind | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (mine < 0) return errno;
  if (connect(mine, (const struct sockaddr *)address, (socklen_t)length) != 0)
    error = errno;
  else if (!peer_is_inside(mine))
    error = EACCES;
  else
    error = put_in_place(question, original, mine);
  close(mine);
  return error;
}

static int connect_unix(const struct question *question, int original, struct sockaddr_un *address, size_t length) {
  size_t used = length - offsetof(struct sockaddr_un, sun_path);
  if (address->sun_family != AF_UNIX || used == 0 || used > sizeof address->sun_path) return EINVAL;
  if (!enter_private_network()) return EACCES;
  if (address->sun_path[0] == '\0') // a name of the private network, where no one else has names
    return replace_by_connected(question, original, address, length);
  int place = open_named_socket(question, address, &length);
  struct stat status;
  if (place < 0) return errno;
  int error = fstat(place, &status) != 0 ? errno : EACCES;
  if (error == EACCES && listens_in_this_network(status.st_ino))
    error = replace_by_connected(question, original, address, length);
  close(place);
  return error;
}

static int session_holder = -1;

// A command with the machine's network reaches the servers of its session too.
void reach_session(int holder) { session_holder = holder; }

static bool is_loopback(const struct sockaddr_storage *address) {
  if (address->ss_family == AF_INET)
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
  return address->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

// Waits for the answer also where the caller would not: on a loopback it comes immediately. What it says, or EINPROGRESS.
static int connect_nearby(int socket, const struct sockaddr_storage *address, size_t length) {
  if (connect(socket, (const struct sockaddr *)address, (socklen_t)length) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  struct pollfd event = {.fd = socket, .events = POLLOUT};
  int error = 0;
  socklen_t size = sizeof error;
  if (poll(&event, 1, 250) != 1) return EINPROGRESS;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

// The machine's own servers come first: a program of the sandbox must not take the place of one that a person's program trusts.
static int connect_loopback(const struct question *question, int original, int mine, const struct sockaddr_storage *address,
                            size_t length) {
  int error = connect_nearby(original, address, length);
  if (error != ECONNREFUSED || mine < 0) return error;
  fcntl(mine, F_SETFL, O_NONBLOCK);
  return connect_nearby(mine, address, length) == 0 ? put_in_place(question, original, mine) : error;
}

static int session_socket_like(int original, const struct sockaddr_storage *address) {
  int kind = 0;
  socklen_t size = sizeof kind;
  if (session_holder < 0 || !is_loopback(address) || getsockopt(original, SOL_SOCKET, SO_TYPE, &kind, &size) != 0) return -1;
  return session_socket(session_holder, address->ss_family, kind);
}

// A connect that waits would keep all others waiting, so a process of its own does it.
static void connect_other(const struct question *question, int socket, const struct sockaddr_storage *address, size_t length) {
  int mine = session_socket_like(socket, address);
  bool waits = mine >= 0 || !(fcntl(socket, F_GETFL) & O_NONBLOCK);
  pid_t helper = waits ? fork() : -1;
  if (helper <= 0) {
    int error = 0;
    if (mine >= 0)
      error = connect_loopback(question, socket, mine, address, length);
    else if (connect(socket, (const struct sockaddr *)address, (socklen_t)length) != 0)
      error = errno;
    answer(question, error);
  }
  if (helper == 0) _exit(0);
  if (mine >= 0) close(mine);
}

static void answer_connect(const struct question *question) {
  struct sockaddr_storage address = {0};
  size_t length = question->call.data.args[2];
  int domain = 0, socket = take_descriptor(question);
  socklen_t size = sizeof domain;
  if (socket < 0)
    answer(question, errno);
  else if (getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0)
    answer(question, errno);
  else if (length < sizeof address.ss_family || length > sizeof address)
    answer(question, EINVAL);
  else if (!read_address(question, &address, length))
    answer(question, EFAULT);
  else if (domain != AF_UNIX)
    connect_other(question, socket, &address, length);
  else
    answer(question, connect_unix(question, socket, (struct sockaddr_un *)&address, length));
  if (socket >= 0) close(socket);
}

void answer_socket_call(int listener) {
  struct question question = {.listener = listener};
  if (ioctl(listener, NOTIF_RECV, &question.call) != 0) return; // the caller is gone
  if (question.call.data.nr == SYS_socket)
    answer_socket(&question);
  else
    answer_connect(&question);
}
