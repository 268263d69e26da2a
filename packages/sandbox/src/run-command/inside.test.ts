// What must go on working inside: a sandbox that breaks builds and tests is switched off.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import type { Enforcement } from "../enforcement/enforcement.ts";
import type { PolicySettings } from "../policy/create-policy.ts";
import { compiledHelper, provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";

let enforcement: Enforcement;
let namespaces = false;
beforeAll(async () => {
  enforcement = await provenEnforcement();
  namespaces = enforcement.kind === "landlock" && enforcement.layer === "namespaces";
}, 60_000);

const node = (script: string) => [process.execPath, "-e", script] as const;
const run = async (
  place: SandboxedPlace,
  command: string | readonly [string, ...string[]],
  settings: Partial<PolicySettings> = {},
) => {
  const env = { TMPDIR: place.folder.at("temp") };
  const result = await place.run({ enforcement, command, env, timeout: 20_000 }, settings);
  return { ...result, text: result.output.text };
};

describe("with the network off", () => {
  it("a test server and its client meet on a loopback of their own", async () => {
    using place = new SandboxedPlace();
    if (!namespaces) return; // without namespaces off is off for both: a documented limit
    const script = `const s = require("node:http").createServer((q, r) => r.end("hello")).listen(0, "127.0.0.1", async () => {
      console.log(await (await fetch("http://127.0.0.1:" + s.address().port)).text()); s.close(); });`;
    expect((await run(place, node(script))).text).toBe("hello\n");
  });

  it("a unix socket works between processes inside, blocking or not, by path and by name", async () => {
    using place = new SandboxedPlace();
    if (!namespaces) return;
    const script = `const net = require("node:net"); let open = 3;
      for (const path of ["./socket", process.cwd() + "/other", "\\0name"]) {
        const s = net.createServer((c) => c.end("hello " + path.replace("\\0", "@"))).listen(path, () =>
          net.connect(path).on("data", (d) => console.log(String(d))).on("close", () => s.close()));
      }`;
    expect((await run(place, node(script))).text.trim().split("\n").toSorted()).toEqual(
      ["hello ./socket", `hello ${place.folder.at("work/other")}`, "hello @name"].toSorted(),
    );
  });

  it("the outside is unreachable immediately, not after a timeout", async () => {
    using place = new SandboxedPlace();
    const script = `require("node:net").connect(80, "192.0.2.1").on("error", (e) => console.log(e.code))`;
    const { text, milliseconds } = await run(place, node(script));
    expect(text).toMatch(/ENETUNREACH|EACCES/);
    expect(milliseconds).toBeLessThan(30_000);
  });
});

describe("with the network on", () => {
  const server = createServer((_request, response) => response.end("from the host"));

  it("the host's loopback is reached, by blocking and by waiting programs", async () => {
    using place = new SandboxedPlace();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const fetching = `fetch("http://127.0.0.1:${port}").then((r) => r.text()).then(console.log)`;
    expect((await run(place, node(fetching), { network: "on" })).text).toBe("from the host\n");
    const shell = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3; tail -n 1 <&3`;
    expect((await run(place, ["/bin/bash", "-c", shell], { network: "on" })).text).toContain("from the host");
    server.closeAllConnections();
    server.close();
  });

  it("programs see the machine's addresses", async () => {
    using place = new SandboxedPlace();
    const script = `console.log(Object.keys(require("node:os").networkInterfaces()).length > 0)`;
    expect((await run(place, node(script), { network: "on" })).text).toBe("true\n");
  });
});

it("git commits in the workspace", async () => {
  using place = new SandboxedPlace();
  await promisify(execFile)("git", ["init", "--quiet", place.folder.at("work")]);
  const script = `git -c user.name=me -c user.email=me@example.invalid commit --quiet --allow-empty -m first && git checkout --quiet -b other && git log --format=%s`;
  expect((await run(place, script)).text).toBe("first\n");
});

it("node starts programs, also synchronously, and worker threads", async () => {
  using place = new SandboxedPlace();
  const script = `const c = require("node:child_process");
    console.log(c.execFileSync("echo", ["sync"]).toString().trim(), c.spawnSync("sh", ["-c", "exit 3"]).status);
    new (require("node:worker_threads").Worker)("console.log('thread')", { eval: true });`;
  expect((await run(place, node(script))).text).toBe("sync 3\nthread\n");
});

it("a process sees its own kind only, under the numbers it knows", async () => {
  using place = new SandboxedPlace();
  const { text } = await run(place, 'cat /proc/$$/comm; ls /proc | grep -c "^[0-9]"');
  const [name, count] = text.split("\n");
  expect(name).toBe("bash");
  if (namespaces) expect(Number(count)).toBeLessThan(10);
});

it("terminals, shared memory and the usual devices are there", async () => {
  using place = new SandboxedPlace();
  const devices = "echo x > /dev/null && head -c 4 /dev/zero | wc -c && head -c 4 /dev/urandom | wc -c";
  expect((await run(place, devices)).text.split(/\s+/).filter(Boolean)).toEqual(["4", "4"]);
  if (!namespaces) return;
  const own = "echo x > /dev/shm/mine && cat /dev/shm/mine && script -qec 'test -t 1 && echo terminal' /dev/null";
  expect((await run(place, own)).text.replaceAll("\r", "")).toBe("x\nterminal\n");
});

it("files get and keep modes, links and times in the workspace", async () => {
  using place = new SandboxedPlace();
  const script =
    "echo x > a; chmod 700 a; ln -s a b; ln a c; touch -d 2001-01-01 a; mkfifo p; mkdir -p d/e; mv d f; stat -c '%a %h %Y' a";
  expect((await run(place, script)).text).toBe("700 2 978307200\n");
});

it("a command in a sandbox in a sandbox is held by both", { timeout: 30_000 }, async () => {
  using place = new SandboxedPlace({ "work/inner/file": "", "outside/file": "before" });
  const script = join(place.folder.at("work"), "nested.mjs");
  const index = join(import.meta.dirname, "../index.ts");
  const inner = {
    mode: "sandbox",
    network: "off",
    workspaceFolders: [place.folder.at("work/inner")],
    dataFolder: place.folder.at("work/data"),
    tempFolder: place.folder.at("work/temp"),
    homeFolder: place.folder.at("home"),
  };
  writeFileSync(
    script,
    `import { createPolicy, proveEnforcement, runCommand } from ${JSON.stringify(index)};
     const enforcement = await proveEnforcement({ helper: ${JSON.stringify(await compiledHelper())} });
     const command = "echo in > file; echo out > ../file; echo out > ${place.folder.at("outside/file")}";
     const result = await runCommand({ enforcement, policy: createPolicy(${JSON.stringify(inner)}), command, cwd: ${JSON.stringify(place.folder.at("work/inner"))} });
     console.log(enforcement.kind, enforcement.layer, result.ended);`,
  );
  const { text } = await run(place, [process.execPath, "--no-warnings", script]);
  expect(text).toBe("landlock landlock exit\n");
  expect(readFileSync(place.folder.at("work/inner/file"), "utf8")).toBe("in\n");
  expect(existsSync(place.folder.at("work/file"))).toBe(false);
  expect(readFileSync(place.folder.at("outside/file"), "utf8")).toBe("before");
});
