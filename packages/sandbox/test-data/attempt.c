// Escape attempts that a shell cannot make, one per word, compiled and run inside the sandbox by the tests. An attempt
// that leaves no trace in a file says ESCAPED when it got what it must not get.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

static char **words;

static int say(int escaped) {
  printf(escaped ? "ESCAPED\n" : "held: %s\n", strerror(errno));
  return !escaped;
}

// --- files ------------------------------------------------------------------------------------------------------------
static int truncate_path(void) { return say(truncate(words[0], 0) == 0); }
static int truncate_by_reading(void) { return say(open(words[0], O_RDONLY | O_TRUNC) >= 0); }
static int exchange(void) { return say(syscall(SYS_renameat2, AT_FDCWD, words[0], AT_FDCWD, words[1], 2) == 0); }
static int exchange_for_ever(void) {
  for (;;)
    if (syscall(SYS_renameat2, AT_FDCWD, words[0], AT_FDCWD, words[1], 2) != 0) return say(0);
  return 0;
}
static int set_attribute(void) { return say(setxattr(words[0], "user.signalbox", "x", 1, 0) == 0); }
static int set_times(void) {
  struct timespec times[2] = {{1, 0}, {1, 0}};
  return say(futimens(open(words[0], O_RDONLY), times) == 0);
}
static int change_mode_by_descriptor(void) { return say(fchmod(open(words[0], O_RDONLY), 0777) == 0); }
static int change_mode_by_path_descriptor(void) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", open(words[0], O_PATH));
  return say(chmod(path, 0777) == 0);
}
static int set_flags(void) {
  unsigned long flags = 0x40; // no dump: the owner may set it
  return say(ioctl(open(words[0], O_RDONLY), _IOW('f', 2, long), &flags) == 0);
}
static int bind_socket_file(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", words[0]);
  return say(bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address) == 0);
}
static int make_disk(void) { return say(mknod(words[0], S_IFBLK | 0600, makedev(8, 0)) == 0); }
static int set_user_id(void) {
  if (chmod(words[0], 04755) == 0 || fchmod(open(words[0], O_RDONLY), 04755) == 0) return say(1);
#ifdef SYS_fchmodat2
  if (syscall(SYS_fchmodat2, AT_FDCWD, words[0], 04755, 0) == 0) return say(1);
#endif
  return say(0);
}
static int use_inherited_descriptors(void) {
  for (int descriptor = 3; descriptor < 1024; descriptor++)
    if (fcntl(descriptor, F_GETFD) >= 0) return say(1);
  return say(0);
}

struct file_handle_buffer {
  unsigned bytes;
  int type;
  unsigned char handle[128];
};
static int print_handle(void) { // run outside, to get what a guesser would guess
  struct file_handle_buffer handle = {.bytes = sizeof handle.handle};
  int mount;
  if (syscall(SYS_name_to_handle_at, AT_FDCWD, words[0], &handle, &mount, 0) != 0) return say(0);
  for (size_t i = 0; i < sizeof handle; i++) printf("%02x", ((unsigned char *)&handle)[i]);
  return 0;
}
static int open_by_handle(void) {
  struct file_handle_buffer handle;
  for (size_t i = 0; i < sizeof handle; i++) sscanf(words[0] + 2 * i, "%2hhx", (unsigned char *)&handle + i);
  char text[256];
  int file = (int)syscall(SYS_open_by_handle_at, open(words[1], O_RDONLY), &handle, O_RDONLY);
  return say(file >= 0 && read(file, text, sizeof text) > 0);
}

// --- mounts, namespaces, system calls -----------------------------------------------------------------------------------
static int copy_mount(void) {
  int tree = (int)syscall(428 /* open_tree */, AT_FDCWD, words[0], 1);
  return say(tree >= 0 && syscall(429 /* move_mount */, tree, "", AT_FDCWD, words[1], 4) == 0);
}
static int new_namespaces(void) {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) return say(1);
  return say(unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER) == 0);
}
static int clone_namespaces(void) {
  pid_t child = (pid_t)syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0);
  if (child == 0) _exit(0);
  return say(child > 0);
}
static int clone3_namespaces(void) {
  uint64_t arguments[11] = {CLONE_NEWUSER | CLONE_NEWNS, 0, 0, 0, SIGCHLD};
  pid_t child = (pid_t)syscall(435 /* clone3 */, arguments, 64);
  if (child == 0) _exit(0);
  return say(child > 0);
}
static int enter_namespace(void) { return say(setns(open(words[0], O_RDONLY), 0) == 0); }

static const struct {
  const char *name;
  long number;
} CALLS[] = {{"mount", SYS_mount},         {"umount2", SYS_umount2},         {"pivot_root", SYS_pivot_root},
             {"chroot", SYS_chroot},       {"fsopen", 430},                  {"mount_setattr", 442},
             {"bpf", SYS_bpf},             {"perf_event_open", SYS_perf_event_open},
             {"keyctl", SYS_keyctl},       {"add_key", SYS_add_key},         {"init_module", SYS_init_module},
             {"kexec_load", SYS_kexec_load}, {"userfaultfd", SYS_userfaultfd}, {"io_uring_setup", 425},
             {"swapon", SYS_swapon},       {"settimeofday", SYS_settimeofday}, {"sethostname", SYS_sethostname},
             {"fanotify_init", SYS_fanotify_init}, {"syslog", SYS_syslog},   {"acct", SYS_acct}};
// With arguments that cannot do anything: what matters is whether the kernel gets to look at them.
static int reach_call(void) {
  for (size_t i = 0; i < sizeof CALLS / sizeof *CALLS; i++) {
    if (strcmp(words[0], CALLS[i].name) != 0) continue;
    long result = syscall(CALLS[i].number, -1L, -1L, -1L, -1L, -1L);
    return say(result >= 0 || (errno != EPERM && errno != ENOSYS && errno != EACCES));
  }
  return 2;
}
static int foreign_call(void) {
#ifdef __x86_64__
  return say(syscall(0x40000000 | SYS_getpid) > 0); // the x32 twin
#else
  return say(0);
#endif
}

// --- processes ----------------------------------------------------------------------------------------------------------
static int send_signal(void) { return say(kill(atoi(words[0]), atoi(words[1])) == 0); }
static int queue_signal(void) {
  return say(sigqueue(atoi(words[0]), SIGCONT, (union sigval){0}) == 0 ||
             syscall(SYS_tgkill, atoi(words[0]), atoi(words[0]), SIGCONT) == 0);
}
// With no processor time left, the kernel itself would end it.
static int limit_process(void) {
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  return say(prlimit(atoi(words[0]), RLIMIT_CPU, &limit, NULL) == 0);
}
static int slow_down(void) { return say(setpriority(PRIO_PROCESS, (id_t)atoi(words[0]), 1) == 0); }
static int trace(void) {
  if (ptrace(PTRACE_SEIZE, atoi(words[0]), 0, 0) != 0 && ptrace(PTRACE_ATTACH, atoi(words[0]), 0, 0) != 0) return say(0);
  return say(1);
}
static int read_memory(void) {
  char here[16], path[64];
  struct iovec to = {here, sizeof here}, from = {(void *)strtoul(words[1], NULL, 16), sizeof here};
  snprintf(path, sizeof path, "/proc/%s/mem", words[0]);
  return say(process_vm_readv(atoi(words[0]), &to, 1, &from, 1, 0) > 0 || open(path, O_RDONLY) >= 0);
}
static int take_descriptor(void) {
  int process = (int)syscall(434 /* pidfd_open */, atoi(words[0]), 0);
  return say(process >= 0 && syscall(438 /* pidfd_getfd */, process, 1, 0) >= 0);
}
// Leaves its session and its parents, and comes back later.
static int daemonise(void) {
  if (fork() != 0) return 0;
  setsid();
  if (fork() != 0) _exit(0);
  for (int descriptor = 0; descriptor < 64; descriptor++) close(descriptor);
  usleep((useconds_t)atoi(words[1]) * 1000);
  int file = open(words[0], O_CREAT | O_WRONLY, 0644);
  if (file >= 0 && write(file, "late", 4) < 0) _exit(1);
  pause();
  return 0;
}
static int fork_bomb(void) {
  for (;;)
    if (fork() < 0) usleep(200000); // held: the machine is needed for other things
  return 0;
}
static int hog_memory(void) {
  for (size_t chunk = 16 << 20;;) {
    char *memory = mmap(NULL, chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return say(0);
    memset(memory, 1, chunk);
  }
}
static int hog_memory_together(void) { // each alone stays small
  for (int i = 0; i < atoi(words[0]); i++)
    if (fork() == 0) {
      size_t size = (size_t)atoi(words[1]) << 20;
      char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory != MAP_FAILED) memset(memory, 1, size);
      pause();
    }
  pause();
  return 0;
}
static int type_into_terminal(void) {
  int terminal = open(words[0], O_RDWR | O_NOCTTY);
  int typed = terminal >= 0 && ioctl(terminal, 0x5412 /* TIOCSTI */, "x") == 0;
  return say(typed || (terminal >= 0 && write(terminal, "x", 1) == 1));
}
static int use_shared_memory(void) {
  int segment = shmget((key_t)strtol(words[0], NULL, 0), 1, 0600);
  char *memory = segment < 0 ? (char *)-1 : shmat(segment, NULL, 0);
  if (memory != (char *)-1) *memory = 'x';
  return say(memory != (char *)-1);
}

// --- network ------------------------------------------------------------------------------------------------------------
static struct sockaddr_in loopback(const char *port) {
  return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}
static int tcp(void) {
  struct sockaddr_in address = loopback(words[0]);
  return say(connect(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address) == 0);
}
static int tcp_fast_open(void) {
  struct sockaddr_in address = loopback(words[0]);
  return say(sendto(socket(AF_INET, SOCK_STREAM, 0), "x", 1, 0x20000000 /* MSG_FASTOPEN */, (struct sockaddr *)&address, sizeof address) > 0);
}
static int tcp6(void) {
  struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)atoi(words[0])), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
  return say(connect(socket(AF_INET6, SOCK_STREAM, 0), (struct sockaddr *)&address, sizeof address) == 0);
}
static int udp(void) { // what arrives at the listener counts: on a loopback of its own sending succeeds
  struct sockaddr_in address = loopback(words[0]);
  sendto(socket(AF_INET, SOCK_DGRAM, 0), "x", 1, 0, (struct sockaddr *)&address, sizeof address);
  return 1;
}
static int connect_to(struct sockaddr_un *address, socklen_t length, int kind) {
  int descriptor = socket(AF_UNIX, kind, 0);
  return say(connect(descriptor, (struct sockaddr *)address, length) == 0 && write(descriptor, "x", 1) == 1);
}
static int unix_stream(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", words[0]);
  return connect_to(&address, sizeof address, SOCK_STREAM);
}
static int unix_abstract(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "%s", words[0]);
  return connect_to(&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(words[0])), SOCK_STREAM);
}
// Not an attempt: what listens outside.
static int receive_datagrams(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  char byte;
  snprintf(address.sun_path, sizeof address.sun_path, "%s", words[0]);
  int listener = socket(AF_UNIX, SOCK_DGRAM, 0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0) return 2;
  // One write each: what is read in two pieces would count as two datagrams.
  do
    if (write(STDOUT_FILENO, "*", 1) != 1) return 2;
  while (recv(listener, &byte, 1, 0) >= 0);
  return 0;
}
// The kernel turns kinds that unix sockets do not have into datagrams, so every kind is tried.
static int unix_datagram(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int pair[2];
  snprintf(address.sun_path, sizeof address.sun_path, "%s", words[0]);
  for (int kind = 0; kind < 16; kind++) {
    if (sendto(socket(AF_UNIX, kind, 0), "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address) > 0) return say(1);
    if (socketpair(AF_UNIX, kind, 0, pair) != 0 || kind == SOCK_STREAM || kind == SOCK_SEQPACKET) continue;
    if (sendto(pair[0], "x", 1, MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address) > 0) return say(1);
    close(pair[0]);
    close(pair[1]);
  }
  return say(0);
}
static int raw_socket(void) {
  return say(socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) >= 0 || socket(AF_PACKET, SOCK_RAW, 0) >= 0 ||
             socket(AF_INET, SOCK_PACKET, 0) >= 0);
}
static int strange_socket(void) {
  for (int family = 0; family < 50; family++)
    if (family != AF_UNIX && family != AF_INET && family != AF_INET6 && family != AF_NETLINK && socket(family, SOCK_STREAM, 0) >= 0)
      return say(1);
  return say(0);
}

// Changes the address and the descriptor under the decider's eyes, hoping that it decides about one and uses the other.
static struct sockaddr_un raced;
static const char *race_inside, *race_outside;
static int race_unix, race_internet, race_slot;
static volatile int racing = 1;
static void *flip(void *unused) {
  while (racing) {
    memcpy(raced.sun_path, race_outside, strlen(race_outside) + 1);
    dup2(race_internet, race_slot);
    memcpy(raced.sun_path, race_inside, strlen(race_inside) + 1);
    dup2(race_unix, race_slot);
  }
  return unused;
}
static int race(void) {
  struct sockaddr_un here = {.sun_family = AF_UNIX};
  race_inside = words[0];
  race_outside = words[1];
  raced.sun_family = AF_UNIX;
  snprintf(here.sun_path, sizeof here.sun_path, "%s", race_inside);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  bind(listener, (struct sockaddr *)&here, sizeof here);
  listen(listener, 4096);
  race_unix = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
  race_internet = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  race_slot = dup(race_unix);
  pthread_t thread;
  pthread_create(&thread, NULL, flip, NULL);
  for (int i = 0; i < 3000; i++) {
    if (connect(race_slot, (struct sockaddr *)&raced, sizeof raced) == 0 && send(race_slot, "x", 1, MSG_NOSIGNAL) < 0) errno = 0;
    close(accept(listener, NULL, NULL));
  }
  racing = 0;
  pthread_join(thread, NULL);
  return 1; // the listener outside knows
}

static const struct {
  const char *word;
  int (*attempt)(void);
} ATTEMPTS[] = {
    {"truncate", truncate_path},
    {"truncate-by-reading", truncate_by_reading},
    {"exchange", exchange},
    {"exchange-for-ever", exchange_for_ever},
    {"set-attribute", set_attribute},
    {"set-times", set_times},
    {"change-mode-by-descriptor", change_mode_by_descriptor},
    {"change-mode-by-path-descriptor", change_mode_by_path_descriptor},
    {"set-flags", set_flags},
    {"bind-socket-file", bind_socket_file},
    {"make-disk", make_disk},
    {"set-user-id", set_user_id},
    {"use-inherited-descriptors", use_inherited_descriptors},
    {"print-handle", print_handle},
    {"open-by-handle", open_by_handle},
    {"copy-mount", copy_mount},
    {"new-namespaces", new_namespaces},
    {"clone-namespaces", clone_namespaces},
    {"clone3-namespaces", clone3_namespaces},
    {"enter-namespace", enter_namespace},
    {"reach-call", reach_call},
    {"foreign-call", foreign_call},
    {"send-signal", send_signal},
    {"queue-signal", queue_signal},
    {"limit-process", limit_process},
    {"slow-down", slow_down},
    {"trace", trace},
    {"read-memory", read_memory},
    {"take-descriptor", take_descriptor},
    {"daemonise", daemonise},
    {"fork-bomb", fork_bomb},
    {"hog-memory", hog_memory},
    {"hog-memory-together", hog_memory_together},
    {"type-into-terminal", type_into_terminal},
    {"use-shared-memory", use_shared_memory},
    {"tcp", tcp},
    {"tcp-fast-open", tcp_fast_open},
    {"tcp6", tcp6},
    {"udp", udp},
    {"unix-stream", unix_stream},
    {"unix-abstract", unix_abstract},
    {"receive-datagrams", receive_datagrams},
    {"unix-datagram", unix_datagram},
    {"raw-socket", raw_socket},
    {"strange-socket", strange_socket},
    {"race", race},
};

int main(int count, char **arguments) {
  setvbuf(stdout, NULL, _IONBF, 0);
  if (count < 2) return 2;
  words = arguments + 2;
  for (size_t i = 0; i < sizeof ATTEMPTS / sizeof *ATTEMPTS; i++)
    if (strcmp(arguments[1], ATTEMPTS[i].word) == 0) return ATTEMPTS[i].attempt();
  fprintf(stderr, "unknown attempt %s\n", arguments[1]);
  return 2;
}
