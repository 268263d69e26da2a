// The list of agents that a server gives, which may be anybody's.
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AcpRegistry } from "./acp-registry.ts";

let folder = "";
let answer: string | null = null;
let sent = 0;
const chunk = Buffer.alloc(1024 * 1024, " ");
const server = createServer((_request, response) => {
  if (answer !== null) return void response.end(answer);
  // Without end, as long as somebody reads.
  const more = () => {
    if (response.destroyed) return;
    sent += chunk.length;
    if (response.write(chunk)) setImmediate(more);
    else response.once("drain", more);
  };
  more();
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-registry-"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  vi.stubEnv("SIGNALBOX_ACP_REGISTRY_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}/registry.json`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

it("is taken when it is a list; one without end, or that is none, leaves the one before", async () => {
  const registry = new AcpRegistry(folder);
  const before = registry.agents;
  expect(before.length).toBeGreaterThan(0);
  await expect(registry.refresh()).rejects.toThrow("it is larger than 10 MB");
  expect(sent).toBeLessThan(64 * 1024 * 1024);
  for (const wrong of ["{", "[]", '{"version":"1","agents":[]}', `{"version":"1","agents":${"[".repeat(100_000)}`]) {
    answer = wrong;
    await expect(registry.refresh()).rejects.toThrow("cannot be used");
  }
  expect(registry.agents).toBe(before);
  expect(readdirSync(folder)).toEqual([]);
  const npx = { package: "one@1.0.0" };
  const agent = (id: string, distribution: object = { npx }) => ({ id, name: id, version: "1.0.0", distribution });
  const odd = ["../up", "a/b", "__proto__", "-x", "A", ""].map((id) => agent(id));
  const flags = ["--prefix=/", "-g", "file:../x", "http://x/y.tgz", "git+ssh://x", "../x"];
  const asFlags = flags.map((name, index) => agent(`flag${index}`, { npx: { package: name } }));
  answer = JSON.stringify({ version: "1", agents: [...odd, ...asFlags, null, 1, agent("good"), agent("constructor")] });
  await registry.refresh();
  const usable = registry.agents.filter(({ distribution }) => distribution.npx !== undefined);
  expect(usable.map(({ id }) => id)).toEqual(["good", "constructor"]);
});
