// Measures the cost of the network by name: a download through the proxy beside the same one on the machine's own loopback, and a command that has such a network.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Benchmark, median, timed, usualHome } from "../../../test/bench/bench.ts";
import { buildHelper } from "../native/build.mjs";
import { createPolicy, goesByName, proveEnforcement, runCommand, SessionLoopback } from "../src/index.ts";
import { AllowList, EgressProxy, routeThroughProxy } from "../src/network/index.ts";

const megabytes = 256;
const rounds = 5;

const benchmark: Benchmark = async (report) => {
  const built = await buildHelper();
  const enforcement = await proveEnforcement({ helper: "path" in built ? built.path : undefined });
  if (!goesByName(enforcement)) return;
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-"));
  mkdirSync(join(folder, "data"));
  const chunk = Buffer.alloc(1024 * 1024, 97);
  const server = createServer((_request, response) => {
    let left = megabytes;
    const send = () => {
      while (left-- > 0) if (!response.write(chunk)) return void response.once("drain", send);
      response.end();
    };
    send();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const allow = new AllowList([`127.0.0.1:${port}`]);
  const socket = join(folder, "data", "proxy");
  const proxy = await EgressProxy.open({
    socket,
    allow,
    decide: async () => ({ allowed: true, by: "list" }),
    record: () => {},
  });
  const settings = {
    mode: "sandbox",
    workspaceFolders: [folder],
    dataFolder: join(folder, "data"),
    homeFolder: usualHome(),
  } as const;
  const byName = createPolicy({ ...settings, network: routeThroughProxy(socket, allow) });
  const off = createPolicy({ ...settings, network: "off" });
  const curl = ["curl", "-sf", "-o", "/dev/null", `http://127.0.0.1:${port}/`] as const;
  const inside = async (policy: typeof off, command: readonly [string, ...string[]], loopback?: string) => {
    const result = await runCommand({ enforcement, policy, command, cwd: folder, loopback });
    if (result.ended !== "exit" || result.exitCode !== 0) throw new Error(`it ended by ${result.ended}`);
  };
  const direct = async () => {
    const [program, ...args] = curl;
    const [code] = (await once(spawn(program, args, { stdio: "ignore" }), "exit")) as [number];
    if (code !== 0) throw new Error(`curl ended with ${code}`);
  };
  await using session = SessionLoopback.create(enforcement, join(folder, "data"));
  const shared = await session?.open();
  const names = ["through", "direct", "byName", "off", "shared", "socket", "sharedSocket"] as const;
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    (typeof names)[number],
    number[]
  >;
  // A command that makes a socket: for one of its own, the kernel makes a whole network first.
  const socketLine = ["bash", "-c", ": 2>/dev/null </dev/tcp/127.0.0.1/9; true"] as const;
  for (let i = 0; i < rounds; i++) {
    times.through.push(await timed(() => inside(byName, curl)));
    times.direct.push(await timed(direct));
  }
  for (let i = 0; i < 100; i++) {
    times.byName.push(await timed(() => inside(byName, ["true"])));
    times.off.push(await timed(() => inside(off, ["true"])));
    times.shared.push(await timed(() => inside(off, ["true"], shared)));
    times.socket.push(await timed(() => inside(off, socketLine)));
    times.sharedSocket.push(await timed(() => inside(off, socketLine, shared)));
  }
  report({
    title: "network by name: a download of 256 MB takes longer than direct",
    value: median(times.through) / median(times.direct),
    unit: "x",
    note: `${perSecond(times.through).toFixed(0)} MB/s through the proxy, ${perSecond(times.direct).toFixed(0)} MB/s direct, both on loopback`,
  });
  report({
    title: "network by name: true in the sandbox, slower than without network by",
    value: median(times.byName) - median(times.off),
    unit: "ms",
    target: 5,
    note: `median of 100: ${median(times.byName).toFixed(2)} ms, ${median(times.off).toFixed(2)} ms without`,
  });
  report({
    title: "loopback of a session: true in it, slower than with one of its own by",
    value: median(times.shared) - median(times.off),
    unit: "ms",
    target: 2,
    note: `median of 100: ${median(times.shared).toFixed(2)} ms, ${median(times.off).toFixed(2)} ms; a shell that makes a socket: ${median(times.sharedSocket).toFixed(2)} ms, ${median(times.socket).toFixed(2)} ms`,
  });
  await proxy[Symbol.asyncDispose]();
  server.close();
  rmSync(folder, { recursive: true, force: true });
};

function perSecond(times: readonly number[]): number {
  return (megabytes / median(times)) * 1000;
}

export default benchmark;
