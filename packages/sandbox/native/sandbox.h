// The helper's shared vocabulary: the plan (what a command may do) and the functions that carry it out, one file each.
#pragma once
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

// What stands between the command and the machine. Chosen by the caller, never lowered by the helper on its own.
enum layer {
  LAYER_NONE,       // supervision only
  LAYER_LANDLOCK,   // Landlock and seccomp
  LAYER_NAMESPACES, // the same, inside mount, process and IPC namespaces of its own
};

enum access { ACCESS_HIDE, ACCESS_READ, ACCESS_WRITE };

// A guard is a read-only rule inside a folder that stays writable otherwise, which only a mount can enforce.
// What happens where its path is missing: nothing, the folder is made, or the command that makes it is ended. Scratch is a folder that seems
// writable: what is written there is in memory, and gone at the end.
enum guard { NO_GUARD, GUARD_EXISTING, GUARD_FOLDER, GUARD_ABSENT, GUARD_SCRATCH };

// What stands at the path inside: what is there outside; an empty folder; another folder (`source`); or an overlay, in which the upper folder has
// what is written, and the source shows through it.
enum stand_in { STAND_IN_NONE, STAND_IN_EMPTY, STAND_IN_FOLDER, STAND_IN_OVERLAY };

// The most specific rule decides.
struct rule {
  const char *path;
  size_t length; // of the path
  enum access access;
  enum guard guard;
  enum stand_in stand_in;
  const char *source, *upper, *work; // work: the overlay's own folder, beside the upper one
  const struct rule *parent; // the most specific rule above this one
  bool settled; // holds already, by a mount or because there is nothing to protect: Landlock need not care
};

// By name: a loopback of its own, which leads to a proxy. Internet sockets are those of that loopback.
enum network { NETWORK_OFF, NETWORK_ON, NETWORK_BY_NAME };

// Where the private loopback listens: for the proxy itself, or for one host and port (`target`), which the proxy is asked for.
struct proxy_place {
  struct in_addr address;
  uint16_t port;
  const char *target;
};

// A path inside at which a symbolic link stands instead, that leads to the target.
struct link_place {
  const char *path, *target;
  char name[16]; // of the link, among ours
};

struct plan {
  enum layer layer;
  enum network network;
  const char *proxy; // the proxy's unix socket
  struct proxy_place *proxy_places;
  int proxy_count, proxy_pair;
  pid_t carrier;
  const char *loopback; // the unix socket of the holder of the session's loopback; NULL: the command has one of its own
  int holder;           // a line to it, for a command that has the machine's network and reaches the session's servers too
  struct link_place *links;
  int link_count;
  const char *hosts; // what /etc/hosts says inside; NULL: as outside
  bool own_streams; // the command gets our three standard streams instead of one pipe for both outputs
  bool same_end;    // for a program that its parent watches itself: we end with its exit code or signal, and pass signals on
  int landlock_abi; // what the kernel has, or less where a test asks for it
  const char *working_folder;
  uint64_t processes, memory, file_size; // 0 = no limit
  struct rule *rules;                    // parents stand before their children
  int rule_count;
  char **command;
};

// plan.c
int read_plan(struct plan *plan, int count, char **arguments);
int read_hold_plan(struct plan *plan, int count, char **arguments);
bool is_below(const char *path, const char *folder);
bool is_rule_below(const struct rule *rule, const struct rule *other);
bool is_in_stand_in(const struct rule *rule);
const struct rule *rule_at(const struct plan *plan, const char *path);
enum access access_above(const struct rule *rule);

// report.c: how the end of a command, or the failure to start it, reaches the parent
void open_report(int control);
void report_alone(void);
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);
__attribute__((format(printf, 1, 2))) void report(const char *format, ...);
bool has_failed(void);
void report_failure(void);
void keep_end(int status);
int kept_end(void);
void explain_end(const char *format, ...) __attribute__((format(printf, 1, 2)));
void explain_failure(void);

// mounts.c, landlock.c, seccomp.c, privileges.c: the restrictions, in the order in which they are applied
void enter_user_namespace(uid_t uid, gid_t gid);
void build_view(struct plan *plan);
void attach(int tree, const char *path);
int make_overlay(const struct rule *rule); // stand-in.c
void make_missing_folder(const char *path);
void make_place(const struct rule *rule, int tree);
void put_scratch(const char *path); // scratch.c
#define COVERS "/proc" // where mounts are made ready, until the new /proc hides them
bool put_link(const struct link_place *place);
bool is_read_only(int place);
int landlock_abi(void);
int open_beneath_links(const char *path, int flags);
int open_entry(const char *path);
bool is_absent(const char *path);
void restrict_files(struct plan *plan);
int restrict_calls(const struct plan *plan, const pid_t *untouchable, int count);
void limit_resources(const struct plan *plan);
void drop_privileges(void);

// forbidden.c: what must not happen while the command runs: a path that comes into being, or a guard that is lost
enum breach { NO_BREACH, BREACH_MADE, BREACH_REPLACED };
void watch_for_breaches(const struct plan *plan);
int breach_watch(void);
bool must_ask_for_breach(void);
enum breach find_breach(const char **path);
void remove_forbidden(void);

// devices.c: the device nodes that a command may open
extern const char *const DEVICES[];
extern const int DEVICE_COUNT;

// sockets.c: decides the calls about sockets that the filter leaves to the first process
void answer_socket_call(int listener);

void reach_session(int holder);
bool enter_private_network(void);
void stay_in_this_network(void);

// proxy.c: the way out of a network by name
int start_carrier(struct plan *plan);
void open_proxy_places(const struct plan *plan);
int listen_at(const struct proxy_place *place);
bool pass_descriptors(int pair, const int *descriptors, int count);
int receive_descriptors(int pair, int *descriptors, int most);

// carry.c: bytes between a private loopback and the outside
enum order_end { ORDER_DONE, ORDER_MORE, ORDER_CARRY };
struct carrying {
  const struct plan *plan; // where the proxy is, and its places
  const int *listeners;    // one for each place
  int orders, lifeline;    // -1 for none
  enum order_end (*obey)(int caller, int *inner); // reads an order; `inner` is what its caller is to be connected with
};
void carry(const struct carrying *carrying);
int dial_socket(const char *path);

// hold.c: the loopback that the commands of a session share
int hold(struct plan *plan, int lifeline);
int call_holder(const struct plan *plan);
bool join_session(const struct plan *plan);
int session_socket(int holder, int domain, int kind);

// socket-list.c
bool listens_in_this_network(ino_t file);

// process-tree.c
struct tree_size {
  uint64_t processes, memory;
};
void kill_descendants(void);
struct tree_size measure_descendants(void);

// run.c, serve.c, supervise.c: the commands. `host` is the process on whose behalf all this happens.
#define OUTPUT 1
#define CONTROL 3 // the parent's end: our report goes out, its closing means "end everything"
int run(struct plan *plan, pid_t host);
int serve(const char *address);
int supervise(int lifeline, char **command);
int end_like(int status);

// watch.c
int watch_changes(const char *folder);

// signals.c: signals as flags that a poll loop can look at
void catch_signals(const int *signals, int count);
bool take_signal(int signal);
int poll_for(struct pollfd *descriptors, int count, int milliseconds);
void release_signals(void);
#define FORWARDED_COUNT 6
extern const int FORWARDED[FORWARDED_COUNT]; // signals that a supervisor passes on
