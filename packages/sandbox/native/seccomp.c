// The system calls that no command needs and every escape wants: mounts, namespaces, modules, keys, sockets beyond what
// the network setting allows, set-user-id bits.
#define _GNU_SOURCE
#include "filter.h"
#include "sandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define REFUSE(error) (SECCOMP_RET_ERRNO | (error))
#define ALLOW SECCOMP_RET_ALLOW
#define LENGTH(array) (sizeof array / sizeof *array)

static void refuse_all(const long *numbers, size_t count, uint32_t answer) {
  for (size_t i = 0; i < count; i++) add_call(numbers[i], answer);
}

static void refuse_bits(long number, uint8_t argument, uint32_t bits, uint32_t answer) {
  add_test(add_call(number, ALLOW), (struct test){argument, HAS_ANY_BIT, bits, 0, answer});
}

static void refuse_value(struct call *call, uint8_t argument, uint32_t mask, uint32_t value, uint32_t answer) {
  add_test(call, (struct test){argument, MASKED_EQUALS, mask, value, answer});
}

static const long NEVER[] = {
    // the file tree and other namespaces
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_open_tree, SYS_open_tree_attr, SYS_move_mount,
    SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr, SYS_open_by_handle_at, SYS_swapon,
    SYS_swapoff, SYS_quotactl, SYS_quotactl_fd, SYS_acct, SYS_fanotify_init,
    // the kernel itself
    SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_bpf, SYS_perf_event_open, SYS_userfaultfd,
    SYS_reboot, SYS_syslog, SYS_vhangup,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef SYS_iopl
    SYS_iopl, SYS_ioperm,
#endif
    // keys, clock, name of the machine
    SYS_add_key, SYS_request_key, SYS_keyctl, SYS_settimeofday, SYS_clock_settime, SYS_clock_adjtime, SYS_adjtimex,
    SYS_sethostname, SYS_setdomainname};

// io_uring carries out calls that no filter sees. Programs that get ENOSYS fall back to plain calls.
static const long AS_IF_MISSING[] = {SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register};

static void refuse_namespaces(void) {
  const uint32_t kinds = CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                         CLONE_NEWCGROUP;
  const uint32_t time_namespace = 0x80; // in clone this bit belongs to the exit signal
  refuse_bits(SYS_clone, 0, kinds, REFUSE(EPERM));
  refuse_bits(SYS_unshare, 0, kinds | time_namespace, REFUSE(EPERM));
  add_call(SYS_clone3, REFUSE(ENOSYS)); // its flags lie in memory where no filter can look; libc falls back to clone
}

static void refuse_device_nodes(long number, uint8_t mode) {
  struct call *call = add_call(number, ALLOW);
  refuse_value(call, mode, S_IFMT, S_IFCHR, REFUSE(EPERM));
  refuse_value(call, mode, S_IFMT, S_IFBLK, REFUSE(EPERM));
}

static void refuse_privileged_files(void) {
  const uint32_t bits = S_ISUID | S_ISGID;
#ifdef SYS_chmod
  refuse_bits(SYS_chmod, 1, bits, REFUSE(EPERM));
  refuse_device_nodes(SYS_mknod, 1);
#endif
  refuse_bits(SYS_fchmod, 1, bits, REFUSE(EPERM));
  refuse_bits(SYS_fchmodat, 2, bits, REFUSE(EPERM));
  refuse_bits(SYS_fchmodat2, 2, bits, REFUSE(EPERM));
  refuse_device_nodes(SYS_mknodat, 2);
}

static void refuse_typing_into_terminals(void) {
  const uint32_t insert_character = 0x5412 /* TIOCSTI */, console_control = 0x541c /* TIOCLINUX */;
  struct call *call = add_call(SYS_ioctl, ALLOW);
  refuse_value(call, 1, ~0u, insert_character, REFUSE(EPERM));
  refuse_value(call, 1, ~0u, console_control, REFUSE(EPERM));
}

// A unix socket with a name leads to another program with powers of its own (a container daemon, a session bus, a
// terminal multiplexer), so those are closed with the network on as well. Pairs, which have no name, stay open if they are
// connected for good: streams and sequenced packets. Any other kind becomes datagrams, which can still be sent to a name.
static const uint32_t SOCKET_KIND = 0xf; // the rest of the argument is flags

static void allow_internet(struct call *call) {
  add_test(call, (struct test){0, MASKED_EQUALS, ~0u, AF_NETLINK, ALLOW}); // how resolvers learn which addresses there are
  refuse_value(call, 1, SOCKET_KIND, SOCK_RAW, REFUSE(EACCES));
  refuse_value(call, 1, SOCKET_KIND, SOCK_PACKET, REFUSE(EACCES));
  add_test(call, (struct test){0, MASKED_EQUALS, ~0u, AF_INET, ALLOW});
  add_test(call, (struct test){0, MASKED_EQUALS, ~0u, AF_INET6, ALLOW});
}

static void restrict_sockets(const struct plan *plan) {
  // In namespaces the first process decides (sockets.c): it can tell sockets inside from sockets outside.
  uint32_t otherwise = plan->layer == LAYER_NAMESPACES ? SECCOMP_RET_USER_NOTIF : REFUSE(EACCES);
  struct call *make = add_call(SYS_socket, otherwise);
  if (plan->network != NETWORK_OFF) allow_internet(make);
  // Without namespaces no unix socket can be made, so with the network on there is nothing to refuse here.
  if (plan->layer == LAYER_NAMESPACES || plan->network == NETWORK_OFF) add_call(SYS_connect, otherwise);
  struct call *pair = add_call(SYS_socketpair, REFUSE(EACCES));
  add_test(pair, (struct test){1, MASKED_EQUALS, SOCKET_KIND, SOCK_STREAM, ALLOW});
  add_test(pair, (struct test){1, MASKED_EQUALS, SOCKET_KIND, SOCK_SEQPACKET, ALLOW});
}

// Without namespaces this memory is shared with all other processes of the user.
static const long SHARED_MEMORY[] = {SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semop,
                                     SYS_semctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl};

// Landlock before ABI 3 does not know truncation.
static void refuse_truncation(void) {
  const uint32_t mask = O_ACCMODE | O_TRUNC, value = O_RDONLY | O_TRUNC;
  add_call(SYS_truncate, REFUSE(EACCES));
  add_call(SYS_openat2, REFUSE(ENOSYS)); // its flags lie in memory
  refuse_value(add_call(SYS_openat, ALLOW), 2, mask, value, REFUSE(EACCES));
#ifdef SYS_open
  refuse_value(add_call(SYS_open, ALLOW), 1, mask, value, REFUSE(EACCES));
#endif
}

// Landlock before ABI 6 does not know signals: at least those above the command and "every process" are out of reach.
static void refuse_signals_to(const pid_t *untouchable, int count) {
  static const long calls[] = {SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo};
  for (size_t i = 0; i < LENGTH(calls); i++) {
    struct call *call = add_call(calls[i], ALLOW);
    refuse_value(call, 0, ~0u, (uint32_t)-1, REFUSE(EPERM));
    for (int j = 0; j < count; j++) { // the process and its group
      refuse_value(call, 0, ~0u, (uint32_t)untouchable[j], REFUSE(EPERM));
      refuse_value(call, 0, ~0u, (uint32_t)-untouchable[j], REFUSE(EPERM));
    }
  }
  add_call(SYS_pidfd_send_signal, REFUSE(ENOSYS));
}

// A limit on processor time ends a process as surely as a signal, and Landlock knows nothing of limits. Zero is oneself.
static void refuse_limits_of_others(void) { refuse_bits(SYS_prlimit64, 0, ~0u, REFUSE(EPERM)); }

int restrict_calls(const struct plan *plan, const pid_t *untouchable, int count) {
  refuse_all(NEVER, LENGTH(NEVER), REFUSE(EPERM));
  refuse_all(AS_IF_MISSING, LENGTH(AS_IF_MISSING), REFUSE(ENOSYS));
  refuse_namespaces();
  refuse_privileged_files();
  refuse_typing_into_terminals();
  restrict_sockets(plan);
  if (plan->layer == LAYER_LANDLOCK) {
    refuse_all(SHARED_MEMORY, LENGTH(SHARED_MEMORY), REFUSE(EACCES));
    refuse_limits_of_others();
    if (plan->landlock_abi < 3) refuse_truncation();
    if (plan->landlock_abi < 6) refuse_signals_to(untouchable, count);
  }
  return install_filter(plan->layer == LAYER_NAMESPACES);
}
