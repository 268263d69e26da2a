// Which of a command's own words are taken for a denial by the sandbox.
import { expect, it } from "vitest";
import { createPolicy } from "../policy/create-policy.ts";
import type { NetworkAccess } from "../policy/policy.ts";
import { DenialFinder, describeDenial, findDenials, mayHideFailure } from "./denials.ts";

const policy = (network: NetworkAccess = "off") =>
  createPolicy({
    mode: "sandbox",
    network,
    workspaceFolders: ["/nowhere/work"],
    dataFolder: "/nowhere/data",
    homeFolder: "/nowhere/home",
    tempFolder: "/nowhere/temp",
    platform: "linux",
  });

function find(output: string, network: NetworkAccess = "off") {
  const finder = new DenialFinder(policy(network), "/nowhere/work");
  for (const piece of output.match(/.{1,7}/gs) ?? []) finder.read(piece); // as it may arrive
  return finder
    .finish({ hasSucceeded: false })
    .map(({ what, path, rule }) => [what, path, rule].filter(Boolean).join(" "));
}

it.each([
  ["/bin/bash: line 1: /nowhere/x: Permission denied", "write /nowhere/x everything-else"],
  ["/nowhere/bin/bash: line 1: ../in.txt: Read-only file system", "write /nowhere/in.txt everything-else"],
  ["sh: 1: cannot create ../in.txt: Permission denied", "write /nowhere/in.txt everything-else"],
  ["bash: ../x: Read-only file system", "write /nowhere/x everything-else"],
  ["touch: cannot touch '/etc/x y': Read-only file system", "write /etc/x y system-folder"],
  ["touch: cannot touch ‘/etc/x’: Permission denied", "write /etc/x system-folder"],
  ["Error: EACCES: permission denied, open '/nowhere/x'", "write /nowhere/x everything-else"],
  ["Error: EROFS: read-only file system, mkdir '/nowhere/x'", "write /nowhere/x everything-else"],
  ["PermissionError: [Errno 13] Permission denied: '/nowhere/home/.ssh/id'", "read /nowhere/home/.ssh/id home"],
  [
    "Error: ENOENT: no such file or directory, mkdir '/nowhere/.local/share/pnpm'",
    "write /nowhere/.local/share/pnpm everything-else",
  ],
  ["cat: /nowhere/data/signalbox.db: Permission denied", "read /nowhere/data/signalbox.db own-data"],
  [
    "error: could not write config file .git/config: Device or resource busy",
    "write /nowhere/work/.git/config git-internals",
  ],
  ["rm: cannot remove '.git/hooks/a': Read-only file system", "write /nowhere/work/.git/hooks/a git-internals"],
  ["curl: (6) Could not resolve host: example.com", "network network-off"],
  ["Error: getaddrinfo EAI_AGAIN packages.example.org", "network network-off"],
  ["connect: Network is unreachable", "network network-off"],
  ["ERROR: Could not find a version that satisfies the requirement left (from versions: none)", "network network-off"],
  ["As a reminder, you're using offline mode (--offline) which can", "network network-off"],
  ["Network access disabled by the environment; can't reach npm repository", "network network-off"],
  ["example.org/x: module lookup disabled by GOPROXY=off", "network network-off"],
  ["error: the crate `serde` could not be found in registry index.", "network network-off"],
  ["   > No cached version of org.slf4j:slf4j-api:1.7.36 available for offline mode.", "network network-off"],
  [
    "YN0080: │ left@npm:1.3.0: Request to 'https://x/' has been blocked because of your configuration settings",
    "network network-off",
  ],
  ["error: gpg failed to sign the data", "read credentials"],
])("%s", (line, denial) => {
  expect(find(`before\n${line}\nafter\n`)).toEqual([denial]);
  expect(find(line)).toEqual([denial]);
});

it.each([
  "cat: missing: No such file or directory",
  "Error: ENOENT: no such file or directory, mkdir '/nowhere/work/a/b'",
  "Error: ENOENT: no such file or directory, open '/nowhere/x'",
  "/bin/bash: line 1: ./script: Permission denied",
  "wrote /etc/passwd successfully",
  "connect ECONNREFUSED 127.0.0.1:3000",
  "curl: (7) Failed to connect to 127.0.0.1 port 9999 after 0 ms: Couldn't connect to server",
  "curl: (7) Failed to connect to localhost port 9999 after 0 ms: Could not connect to server",
  "/usr/bin/bash: line 1: kill: (1) - Operation not permitted",
  "E: Failed to fetch http://packages.example.org/pool/x.deb (13: Permission denied)",
])("not: %s", (line) => expect(find(line)).toEqual([]));

const byName: NetworkAccess = { socket: "", places: [], hosts: "" };

it("where the network goes by name, a program that asks no proxy is told so, and no one that the network is off", () => {
  expect(find("curl: (6) Could not resolve host: example.com", byName)).toEqual(["host network-by-name"]);
  expect(find("ERROR: Could not find a version that satisfies the requirement left", byName)).toEqual([]);
});

it("says which hosts the proxy refused, unless the command succeeded without them", () => {
  const said = (hasSucceeded: boolean) => {
    const finder = new DenialFinder(policy(byName), "/nowhere/work");
    finder.addRefusedHost({ host: "packages.test", port: 443, reason: "It is not on the list." });
    return finder.finish({ hasSucceeded }).map(describeDenial);
  };
  expect(said(false)).toEqual([
    "While the command ran, a connection to packages.test:443 was not made: It is not on the list.",
  ]);
  expect(said(true)).toEqual([]);
});

it("names the path that a read-only workspace refused, not the shell", () => {
  const rx = createPolicy({
    mode: "rx",
    network: "off",
    workspaceFolders: ["/nowhere/work"],
    dataFolder: "/nowhere/data",
    homeFolder: "/nowhere/home",
    tempFolder: "/nowhere/temp",
    platform: "linux",
  });
  const [denial, ...others] = findDenials(
    "/usr/bin/bash: line 1: in.txt: Read-only file system\n",
    rx,
    "/nowhere/work",
  );
  expect(denial).toMatchObject({ what: "write", path: "/nowhere/work/in.txt", isCertain: false });
  expect(others).toEqual([]);
  if (denial !== undefined) expect(describeDenial(denial)).toMatch(/^The sandbox probably denied: writing \S+in\.txt/);
});

it("with the network on, its errors are not ours", () => {
  expect(find("curl: (6) Could not resolve host: example.com", "on")).toEqual([]);
});

it("each path is named once, and a flood of errors stays bounded", () => {
  expect(find("a: /nowhere/x: Permission denied\n".repeat(50))).toHaveLength(1);
  expect(find(Array.from({ length: 500 }, (_, i) => `a: /nowhere/${i}: Permission denied`).join("\n"))).toHaveLength(
    20,
  );
  expect(find(`/nowhere/x${"y".repeat(100_000)}: Permission denied`)).toEqual([]);
});

it("says nothing of what a command that succeeded only printed, but what is certain", () => {
  const finder = new DenialFinder(policy(), "/nowhere/work");
  finder.read("touch: cannot touch '/etc/x': Permission denied\ncurl: (6) Could not resolve host: example.com\n");
  finder.addOfGit("core.hooksPath");
  expect(finder.finish({ hasSucceeded: true })).toMatchObject([{ isCertain: true }]);
  expect(finder.finish({ hasSucceeded: false })).toHaveLength(3);
});

it.each([
  ["npm install x 2>&1 | tail -5", true],
  ["mkdir -p ~/.config/foo; echo done", true],
  ["curl -sS https://example.com || true", true],
  ["make &", true],
  ["make\nls", true],
  ["make 2>&1", false],
  ["cd src && make", false],
  ["make &> log", false],
])("%s may hide a failure: %s", (command, hides) => expect(mayHideFailure(command)).toBe(hides));
