// Writes a policy as a Seatbelt profile, the language of macOS's sandbox. Later rules win there, so general rules come before special ones, as
// in the policy.
import type { Policy } from "../policy/policy.ts";
import { type EffectiveRule, effectiveRules } from "./effective-rules.ts";

export function seatbeltProfile(policy: Policy): string {
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-exec process-fork)",
    "(allow process-info* (target same-sandbox))",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow mach-lookup",
    ...machServices.map((name) => `  (global-name ${quote(name)})`),
    ")",
    "(allow ipc-posix-sem ipc-posix-shm)",
    "(allow pseudo-tty)",
    '(allow file-ioctl (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))',
    "(allow file-read-metadata)",
    ...effectiveRules(policy).flatMap(fileRules),
    `(allow file-write* ${devices.map((path) => `(literal ${quote(path)})`).join(" ")})`,
    '(allow file-read* file-write* (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))',
    ...networkRules(policy),
    "",
  ].join("\n");
}

const devices = [
  "/dev/null",
  "/dev/zero",
  "/dev/random",
  "/dev/urandom",
  "/dev/tty",
  "/dev/stdout",
  "/dev/stderr",
  "/dev/dtracehelper",
];

/** Services that every program uses when it starts: users, time, logging. None of them opens files for the caller. */
const machServices = [
  "com.apple.system.opendirectoryd.libinfo",
  "com.apple.system.opendirectoryd.membership",
  "com.apple.system.notification_center",
  "com.apple.system.logger",
  "com.apple.logd",
  "com.apple.trustd.agent",
];

function fileRules({ path, access }: EffectiveRule): string[] {
  const place = `(subpath ${quote(path)})`;
  switch (access) {
    case "write":
      return [`(allow file-read* file-write* ${place})`];
    case "read":
      return [`(allow file-read* ${place})`, `(deny file-write* ${place})`];
    case "hidden":
      return [`(deny file-read-data file-read-xattr file-write* ${place})`];
  }
}

function networkRules(policy: Policy): string[] {
  // A network by name needs namespaces, which this system does not have.
  if (policy.network !== "on") return ["(deny network*)"];
  // Named unix sockets lead to other programs; only the resolver's is opened.
  return [
    "(allow network-outbound (remote ip))",
    "(allow network-inbound (local ip))",
    "(allow network-bind (local ip))",
    '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
    "(allow system-socket)",
  ];
}

/** A string of the profile language: backslash and quote are escaped, nothing else is special. */
function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}
