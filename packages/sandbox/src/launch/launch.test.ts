// The command lines that are really started, as text, and bubblewrap for real.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createPolicy, type PolicySettings } from "../policy/create-policy.ts";
import { defaultLimits } from "../run-command/limits.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";
import { bubblewrapLaunch } from "./bubblewrap-launch.ts";
import { effectiveRules } from "./effective-rules.ts";
import { findHelper } from "./find-helper.ts";
import { helperLaunch } from "./helper-launch.ts";
import type { LaunchRequest } from "./launch-request.ts";
import { seatbeltLaunch } from "./seatbelt-launch.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";

const policy = (more: Partial<PolicySettings> = {}) =>
  createPolicy({
    mode: "sandbox",
    network: "off",
    workspaceFolders: ["/nowhere/work"],
    dataFolder: "/nowhere/data",
    homeFolder: "/nowhere/home",
    tempFolder: "/nowhere/temp",
    platform: "linux",
    ...more,
  });

const request = (more: Partial<LaunchRequest> = {}): LaunchRequest => ({
  policy: policy(),
  command: ["/bin/echo", "a b"],
  cwd: "/nowhere/work",
  env: { PATH: "/bin", LD_PRELOAD: "/evil.so", DYLD_INSERT_LIBRARIES: "/evil.dylib", GLIBC_TUNABLES: "x" },
  limits: defaultLimits(),
  streams: "joined",
  ...more,
});

describe("the rules for enforcement", () => {
  const rules = (more: Partial<PolicySettings>) =>
    effectiveRules(policy(more)).map(({ path, access }) => `${access} ${path}`);

  it("leave out what changes nothing, and stand parents first", () => {
    const sandbox = rules({ writable: ["/nowhere/work/sub"] });
    expect(sandbox[0]).toBe("read /");
    expect(sandbox).toContain("write /nowhere/work");
    expect(sandbox).not.toContain("write /nowhere/work/sub"); // writable already
    expect(sandbox).not.toContain("read /etc"); // read-only already
    expect(rules({ mode: "rwx" })).toContain("read /etc");
  });

  it("take the stricter of two for one path", () => {
    expect(rules({ mode: "rx", writable: ["/nowhere/work"] })).not.toContain("write /nowhere/work");
  });
});

it("variables of the dynamic loader reach the command, never the program that sandboxes it", () => {
  for (const launch of [
    helperLaunch("/helper", "namespaces", request()),
    bubblewrapLaunch("/bwrap", request()),
    seatbeltLaunch("/sandbox-exec", request()),
  ]) {
    expect(launch.env).toEqual({ PATH: "/bin" });
    expect(launch.arguments.join(" ")).toMatch(/LD_PRELOAD[= ]\/evil\.so/);
    expect(launch.arguments.slice(-2)).toEqual(["/bin/echo", "a b"]);
  }
});

it("the helper gets layer, network, limits and rules", () => {
  const launch = helperLaunch(
    "/helper",
    "landlock",
    request({ limits: { memory: 1, processes: 2, fileSize: 3, output: 4 } }),
  );
  const line = launch.arguments.join(" ");
  expect(line).toContain("run --layer landlock --network off --streams joined --cwd /nowhere/work");
  expect(line).toContain("--memory 1 --processes 2 --file-size 3");
  expect(line).toContain("--read / ");
  expect(line).toContain("--write /nowhere/work");
  expect(line).toContain("--hide /nowhere/data ");
  expect(line).toContain("--write /nowhere/data/workspace");
});

it("the helper is told that the home folder is empty, and of a workspace that holds it what is visible", () => {
  using place = new SandboxedPlace({ "home/.ssh/id": "", "home/project/file": "" });
  const line = (more: Partial<PolicySettings>) =>
    helperLaunch("/helper", "namespaces", request({ policy: place.policy(more) })).arguments.join(" ");
  expect(line({})).toContain(`--empty ${place.folder.at("home")} `);
  expect(line({})).not.toContain(place.folder.at("home/"));
  const inHome = line({ workspaceFolders: [place.folder.at("home")] });
  expect(inHome).toContain(`--empty ${place.folder.at("home")} `);
  expect(inHome).toContain(`--write ${place.folder.at("home/project")} `);
  expect(inHome).not.toContain(".ssh");
});

describe("the Seatbelt profile", () => {
  const lines = (more: Partial<PolicySettings> = {}) =>
    seatbeltProfile(policy({ platform: "darwin", ...more })).split("\n");

  it("denies by default, reads everything, writes the writable folders, hides secrets, in that order", () => {
    const profile = lines();
    expect(profile.slice(0, 2)).toEqual(["(version 1)", "(deny default)"]);
    const order = [
      '(allow file-read* (subpath "/"))',
      '(deny file-write* (subpath "/"))',
      '(allow file-read* file-write* (subpath "/nowhere/work"))',
      '(deny file-read-data file-read-xattr file-write* (subpath "/nowhere/data"))',
      '(allow file-read* file-write* (subpath "/nowhere/data/workspace"))',
    ].map((line) => profile.indexOf(line));
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(profile).toContain('(deny file-read-data file-read-xattr file-write* (subpath "/nowhere/home"))');
  });

  it("closes the system folders in rwx mode", () => {
    const profile = lines({ mode: "rwx" });
    expect(profile).toContain('(allow file-read* file-write* (subpath "/"))');
    for (const folder of ["/System", "/usr/bin", "/private/etc"]) {
      expect(profile).toContain(`(deny file-write* (subpath "${folder}"))`);
    }
  });

  it("has no network when it is off, and internet but no unix sockets when it is on", () => {
    expect(lines().filter((line) => line.includes("network"))).toEqual(["(deny network*)"]);
    const on = lines({ network: "on" }).filter((line) => line.includes("network-outbound"));
    expect(on).toEqual([
      "(allow network-outbound (remote ip))",
      '(allow network-outbound (literal "/private/var/run/mDNSResponder"))',
    ]);
  });

  it("quotes what a path could say", () => {
    const profile = seatbeltProfile(policy({ workspaceFolders: ['/nowhere/a") (allow default) ("\\'] }));
    expect(profile).toContain('(subpath "/nowhere/a\\") (allow default) (\\"\\\\")');
    expect(profile).not.toContain('a") (allow default)');
  });
});

it("bubblewrap sandboxes a command with the same rules", async () => {
  const program = "/usr/bin/bwrap";
  if (!existsSync(program)) return; // nothing to fall back to on this machine
  using place = new SandboxedPlace({
    "work/.git/hooks/a": "",
    "work/.git/config": "as before",
    "outside/file": "before",
    "data/signalbox.db": "secret",
    "home/.ssh/id": "secret",
  });
  const { folder } = place;
  const command = `echo x > inside; echo evil > new; mv -f new .git/config; echo x > ${folder.at("outside/file")}; echo x > ${folder.at("temp/a")}; chmod 777 ${folder.at("outside/file")}
    cat ${folder.at("data/signalbox.db")} ${folder.at("home/.ssh/id")}; echo evil > .git/hooks/b; echo evil > .git/config
    echo x > ${folder.at("data/workspace/a")}; echo out; echo err >&2; (setsid sleep 100 &); exit 3`;
  const result = await place.run({ enforcement: { kind: "bubblewrap", program }, command });
  expect(result).toMatchObject({ ended: "exit", exitCode: 3 });
  expect(result.output.text).toContain("out\nerr\n");
  expect(result.output.text).not.toContain("secret");
  for (const name of ["work/inside", "temp/a", "data/workspace/a"])
    expect(existsSync(folder.at(name)), name).toBe(true);
  expect(existsSync(folder.at("work/.git/hooks/b"))).toBe(false);
  expect(readFileSync(folder.at("work/.git/config"), "utf8")).toBe("as before");
  expect(readFileSync(folder.at("outside/file"), "utf8")).toBe("before");
});

describe("the helper is found", () => {
  it("from anywhere in the checkout, bundled or not", () => {
    using place = new SandboxedPlace();
    expect(findHelper("/", "")).toBe(undefined);
    expect(findHelper(place.folder.path, "")).toBe(undefined);
    expect(findHelper(import.meta.dirname, "")).toMatch(/packages\/sandbox\/dist\/signalbox-sandbox$/);
  });

  it("where the environment says, if that is absolute and can be run", () => {
    expect(findHelper("/", "/bin/sh")).toBe("/bin/sh");
    expect(findHelper(import.meta.dirname, "bin/sh")).toBe(undefined);
    expect(findHelper(import.meta.dirname, "/etc/passwd")).toBe(undefined);
  });
});
