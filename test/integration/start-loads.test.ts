// What the built program loads before the host is ready: whatever is not needed for that makes every start slower and bigger.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";
import { program } from "../support/host-process.ts";

const root = join(import.meta.dirname, "../..");

it("a host that starts loads neither the reports nor ACP's schemas, nor what answers requests that are no WebSocket", () => {
  const loaded = loadedBy("serve");
  expect(loaded).toContain("packages/host/src/server/server.ts");
  const unneeded = /node_modules\/(?:string-width|pg|hono|@hono|@agentclientprotocol)\/|packages\/reports\//;
  expect(loaded.filter((source) => unneeded.test(source))).toEqual([]);
});

it.each(["run", "threads", "show", "doctor"])("%s loads no server", (name) => {
  const loaded = loadedBy(name);
  expect(loaded).toContain(`packages/cli/src/commands/${name}.ts`);
  expect(loaded.filter((source) => /node_modules\/@?hono\/|server\/server\.ts$/.test(source))).toEqual([]);
});

it("our agent answers initialize without a third-party package, the models or the rules", () => {
  const loaded = loadedBy("agent");
  expect(loaded).toContain("packages/agent/src/acp/initialize.ts");
  const unneeded = /node_modules\/|serve-client\.ts$|packages\/(?:rules|tool-calls)\/|config\/src\/models\//;
  expect(loaded.filter((source) => unneeded.test(source))).toEqual([]);
});

it("our agent finds itself compiled by an earlier start", () => {
  const input = `${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } })}\n`;
  const env = { PATH: process.env.PATH, NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
  const start = () => spawnSync(process.execPath, [program, "agent"], { input, env, encoding: "utf8" });
  start();
  expect(start().stderr).toMatch(/V8 code cache for ESM \S*serve-client-\w+\.js was accepted/);
});

/** The sources that a command loads when it starts. */
function loadedBy(command: string): readonly string[] {
  const path = new RegExp(`import\\("(\\./chunks/${command}-\\w+\\.js)"\\)`).exec(readFileSync(program, "utf8"))?.[1];
  if (path === undefined) throw new Error(`no chunk of ${command}`);
  return sourcesOf(join(dirname(program), path));
}

/** The sources in a chunk, as its map names them, and in those that it imports statically. */
function sourcesOf(chunk: string, seen = new Set<string>()): readonly string[] {
  if (seen.has(chunk)) return [];
  seen.add(chunk);
  const { sources } = JSON.parse(readFileSync(`${chunk}.map`, "utf8")) as { sources: readonly string[] };
  const own = sources.map((source) => relative(root, resolve(dirname(chunk), source)));
  const chunks = importsOf(readFileSync(chunk, "utf8")).filter((path) => path.startsWith("."));
  return [...own, ...chunks.flatMap((path) => sourcesOf(join(dirname(chunk), path), seen))];
}

/** What a chunk imports statically. A lazy import has a bracket before its name. */
function importsOf(text: string): readonly string[] {
  const statements = text.matchAll(/\b(?:import|export)\s*(?:[\w$*{][\w$*{},\s]*?from\s*)?"([^"]+)"/g);
  return [...statements].map(([, path = ""]) => path);
}
