// One loopback per session, for real: servers that commands start, and others that try to reach them.
import { execFile } from "node:child_process";
import { chmodSync, existsSync, readlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it, vi } from "vitest";
import { descendants, untilGone } from "../../../../test/support/processes.ts";
import { type AgentEnforcement, canSandboxAgents } from "../enforcement/enforcement.ts";
import { ListedProxy } from "../testing/listed-proxy.ts";
import { loopbackStory, startServer } from "../testing/loopback-story.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";
import { TemporaryFolder } from "../testing/temporary-folder.ts";
import { parseListening } from "./listening-ports.ts";
import { SessionLoopback } from "./session-loopback.ts";

vi.setConfig({ testTimeout: 60_000 });

let enforcement: AgentEnforcement;
beforeAll(async () => {
  const proven = await provenEnforcement();
  if (!canSandboxAgents(proven)) throw new Error("this test needs namespaces");
  enforcement = proven;
}, 60_000);

function session(place: SandboxedPlace, name: string): SessionLoopback {
  return new SessionLoopback({ helper: enforcement.helper, socket: place.folder.at(`data/${name}`) });
}

const expectedStory = {
  nextCommand: "the job",
  programWithNetwork: "the job",
  strangers: ["none", "none", "none"],
  machine: "none",
  orders: "ENOENT",
  host: true,
  wrongPort: "no program of this session listens on port 1",
  seen: [true],
  seenByOther: [],
  left: [],
};

it("a server of one command is reached by the next one of its session, by no other session, and not from outside", async () => {
  expect(await loopbackStory(enforcement)).toEqual(expectedStory);
});

it("so it is for a normal user", async () => {
  const script = join(import.meta.dirname, "../testing/loopback-story.ts");
  const args = ["--no-warnings", script, JSON.stringify(enforcement)];
  const normal = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  using home = new TemporaryFolder({});
  chmodSync(home.path, 0o777);
  const env = { PATH: process.env.PATH, HOME: home.path };
  const { stdout } = await promisify(execFile)(process.execPath, args, { ...normal, env });
  expect(JSON.parse(stdout)).toEqual(expectedStory);
});

it("a server of the machine wins over one of the session, so that a command cannot take its place", async () => {
  using place = new SandboxedPlace();
  await using loopback = session(place, "mine");
  const machine = createServer((_request, response) => response.end("the machine"));
  await new Promise<void>((resolve) => machine.listen(0, "127.0.0.1", resolve));
  const { port } = machine.address() as AddressInfo;
  const { server } = await startServer(place, enforcement, { loopback, name: "the job", port });
  const run = async (network: "on" | "off") => {
    const options = { enforcement, command: `curl -s http://127.0.0.1:${port}/`, loopback: await loopback.open() };
    return (await place.run(options, { network })).output.text;
  };
  expect([await run("on"), await run("off")]).toEqual(["the machine", "the job"]);
  machine.close();
  server.kill();
  await server.ended;
});

it("a network by name goes through the same loopback", async () => {
  using place = new SandboxedPlace();
  const web = createServer((request, response) => response.end(`web ${request.headers.host}`));
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  const { port: webPort } = web.address() as AddressInfo;
  await using proxy = await ListedProxy.open(place, [`127.0.0.1:${webPort}`]);
  const { network } = proxy;
  await using loopback = new SessionLoopback({
    helper: enforcement.helper,
    socket: place.folder.at("data/loopback"),
    network,
  });
  const { server, port } = await startServer(place, enforcement, { loopback, name: "the job" });
  const command = [
    `curl -s http://127.0.0.1:${webPort}/`,
    `curl -s http://127.0.0.1:${port}/`,
    "curl -s http://other.test/",
  ];
  const options = { enforcement, command: command.join("; echo; "), loopback: await loopback.open() };
  const { output } = await place.run(options, { network });
  expect(output.text.split("\n")).toEqual([
    `web 127.0.0.1:${webPort}`,
    "the job",
    "other.test is not on the list.",
    "",
  ]);
  expect(loopback.ports()).toEqual([{ address: "127.0.0.1", port }]);
  web.close();
  server.kill();
  await server.ended;
  await proxy[Symbol.asyncDispose]();
});

/** The processes that get a network of their own by `open`: one keeps the loopback. */
async function newHolders(open: () => Promise<unknown>): Promise<readonly number[]> {
  const apart = () => descendants().filter((pid) => networkOf(pid) !== networkOf("self"));
  const before = new Set(apart());
  await open();
  const holders = apart().filter((pid) => !before.has(pid));
  expect(holders).toHaveLength(1);
  return holders;
}

function networkOf(pid: number | "self"): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return readlinkSync("/proc/self/ns/net"); // it has just ended
  }
}

it("a holder that does not end by itself is killed at the end of the session, also one that is just starting", async () => {
  using place = new SandboxedPlace();
  const [stuck, starting] = [session(place, "stuck"), session(place, "starting")];
  const holders = await newHolders(() => stuck.open());
  for (const pid of holders) process.kill(pid, "SIGSTOP");
  const opening = starting.open().catch((error: Error) => error.message);
  await Promise.all([stuck, starting].map((each) => each[Symbol.asyncDispose]()));
  expect(await opening).toMatch(/the session is closed|it was stopped before it began/);
  await expect.poll(() => descendants().filter((pid) => holders.includes(pid))).toEqual([]);
  expect(["stuck", "starting"].map((name) => existsSync(place.folder.at(`data/${name}`)))).toEqual([false, false]);
});

/** A helper that begins what it is told, and is never ready. It ends when its control connection is closed. */
const silentHelper = `#!${process.execPath}
const { connect } = require("node:net");
process.stdin.once("data", (token) => {
  connect(\`\\0\${process.argv[3]}\`).write(\`o\${token}\\n\`);
  const control = connect(\`\\0\${process.argv[3]}\`).on("close", () => process.exit());
  control.write(\`c\${token}\\n\`);
  control.once("data", () => control.write("b"));
});
`;

it("a holder that is not ready in time is given up, and holds nothing up", async () => {
  using place = new SandboxedPlace();
  const helper = place.folder.at("data/helper");
  writeFileSync(helper, silentHelper, { mode: 0o755 });
  await using loopback = new SessionLoopback({ helper, socket: place.folder.at("data/mine"), readyMs: 500 });
  await expect(loopback.open()).rejects.toThrow(
    "the loopback of the session cannot be opened: it was not ready within 0.5 s; try again",
  );
  expect(await untilGone(helper)).toEqual([]);
});

it("ends with the session, and says so to a command that comes too late", async () => {
  using place = new SandboxedPlace();
  const loopback = session(place, "mine");
  const holders = await newHolders(() => loopback.open());
  const socket = place.folder.at("data/mine");
  const run = async () => {
    const result = await place
      .run({ enforcement, command: "echo ran", loopback: socket })
      .catch((error: Error) => error);
    return result instanceof Error ? result.message : result.output.text;
  };
  expect(await run()).toBe("ran\n");
  await loopback[Symbol.asyncDispose]();
  expect(await run()).toContain("the loopback that this session shares is gone");
  await expect(loopback.open()).rejects.toThrow("the session is closed");
  expect(existsSync(socket)).toBe(false);
  await expect.poll(() => descendants().filter((pid) => holders.includes(pid))).toEqual([]);
});

it("a holder that died is started again, for the next command", async () => {
  using place = new SandboxedPlace();
  await using loopback = session(place, "mine");
  for (const pid of await newHolders(() => loopback.open())) process.kill(pid, "SIGKILL");
  // Until it is known that the first one is gone, a command is told to try again.
  const serve = async () => await startServer(place, enforcement, { loopback, name: "the job" }).catch(() => undefined);
  await expect.poll(serve, { timeout: 20_000 }).toBeDefined();
  const [{ port } = { port: 0 }] = loopback.ports();
  const command = `curl -s http://127.0.0.1:${port}/`;
  expect((await place.run({ enforcement, command, loopback: await loopback.open() })).output.text).toBe("the job");
});

it("reads the kernel's list of sockets", () => {
  const lines = [
    "  sl  local_address rem_address   st tx_queue rx_queue",
    "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0",
    "   1: 0100007F:1F91 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0",
    "   2: 00000000000000000000000001000000:0BB8 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000",
    "   3: 00000000000000000000000000000000:0BB9 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000",
  ];
  expect(parseListening(lines.join("\n"))).toEqual([
    { address: "127.0.0.1", port: 8080 },
    { address: "::1", port: 3000 },
    { address: "::", port: 3001 },
  ]);
});
