// An MCP server on the loopback of its session, where the network goes by name: who reaches it, what it reaches, and a credential that it never sees.
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { machineEnforcement } from "@signalbox/agent-kit";
import { SessionLoopback } from "@signalbox/sandbox";
import {
  AllowList,
  EgressProxy,
  routeThroughProxy,
  SessionAuthority,
  writeTrustFiles,
} from "@signalbox/sandbox/network";
import { expect, it } from "vitest";
import { TemporaryFolder } from "../../../../test/support/host-process.ts";
import { testFolder } from "../tools/testing/try-tool.ts";
import { nodeServer, testSession } from "./testing/mcp-session.ts";

const secret = "Bearer hidden-from-servers-4711";
const program = join(import.meta.dirname, "testing/network-server.mjs");

it("shares the loopback with commands, and gets a credential added that it does not have", {
  timeout: 60_000,
}, async () => {
  const theirs = new SessionAuthority(["api.test"]);
  const SNICallback = (_name: string, done: (error: null, context: ReturnType<typeof theirs.getContext>) => void) =>
    done(null, theirs.getContext("api.test"));
  const web = createServer({ SNICallback }, ({ headers }, response) =>
    response.end(headers.authorization === secret ? "with the credential" : "without"),
  );
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  const { port } = web.address() as AddressInfo;
  using folder = new TemporaryFolder();
  const allow = new AllowList([`api.test:${port}`, `127.0.0.1:${port}`]);
  const authority = new SessionAuthority(["api.test"]);
  const trust = writeTrustFiles(folder.path, "session", authority.certificate);
  const socket = folder.in("proxy");
  const proxy = await EgressProxy.open({
    socket,
    allow,
    decide: async ({ host, port: wanted }) => {
      const by = allow.find(host, wanted);
      return by === undefined ? { allowed: false, reason: "It is not on the list." } : { allowed: true, by };
    },
    record: () => {},
    resolve: async () => [{ address: "127.0.0.1" }],
    keys: {
      credentials: [{ name: "api", host: "api.test", port, header: "authorization", value: secret }],
      authority,
      moreAuthorities: [theirs.certificate],
    },
  });
  const network = routeThroughProxy(socket, allow);
  const enforcement = await machineEnforcement(false);
  await using loopback = SessionLoopback.create(enforcement, folder.path, network);
  if (loopback === undefined) throw new Error("this test needs namespaces");
  const client = { create: () => Promise.reject(new Error("no terminal is used here")) };
  const by_name = { hosts: network.hosts, variables: trust.variables };
  const sandbox = { mode: "sandbox", network: false, loopback: await loopback.open(), by_name } as const;
  await using session = testFolder({ terminals: { client, sandbox } });
  await using test = await testSession(() => [nodeServer("net", [program])], { workspace: session.workspace });

  const get = async (url: string) => (await test.call("mcp__net__get", { url })).text;
  expect(await get(`https://api.test:${port}/`)).toBe("with the credential");
  expect(await get("https://other.test/")).toMatch(/^none: /);
  expect((await test.call("mcp__net__environment")).text).not.toContain(secret);

  const { text: served } = await test.call("mcp__net__port");
  const ports = loopback.ports().map((each) => String(each.port));
  expect(ports).toEqual([served]);
  const ask = `fetch("http://127.0.0.1:${served}").then((a) => a.text()).then(console.log)`;
  let printed = "";
  await session.workspace.runProgram({
    command: [process.execPath, "-e", ask],
    cwd: session.cwd,
    signal: AbortSignal.timeout(30_000),
    onOutput: (text) => void (printed += text),
  });
  expect(printed).toBe("the MCP server\n");
  await expect(fetch(`http://127.0.0.1:${served}/`)).rejects.toThrow();
  web.closeAllConnections();
  web.close();
  await proxy[Symbol.asyncDispose]();
});
