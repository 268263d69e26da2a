// Package managers through the door, for real: npm and git fetch what a named host has, and fail fast, with the reason, where there is no network.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, it, vi } from "vitest";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { cacheVariables } from "../environment/cache-variables.ts";
import { EnclosedPlace } from "../testing/enclosed-place.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { AllowList } from "./allow-list.ts";
import { doorTo } from "./door-places.ts";
import { type DoorConnection, NetworkDoor } from "./network-door.ts";

vi.setConfig({ testTimeout: 60_000 });

let enforcement: Enforcement;
beforeAll(async () => {
  enforcement = await provenEnforcement();
}, 60_000);

/** Files of a folder over http, and a package for npm. */
async function serve(folder: string) {
  const tarball = readFileSync(join(folder, "left.tgz"));
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname);
    if (path === "/left") return response.end(JSON.stringify(packageOf(request.headers.host ?? "", tarball)));
    const file = join(folder, path);
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function packageOf(host: string, tarball: Uint8Array) {
  const shasum = createHash("sha1").update(tarball).digest("hex");
  const version = { name: "left", version: "1.0.0", dist: { tarball: `http://${host}/left.tgz`, shasum } };
  return { name: "left", "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } };
}

it("install and clone from named hosts by the variables that are set, and fail fast without a network", async () => {
  using place = new EnclosedPlace({
    "served/package/package.json": '{ "name": "left", "version": "1.0.0" }',
    "work/package.json": "{}",
  });
  const served = place.folder.at("served");
  execFileSync("tar", ["czf", "left.tgz", "package"], { cwd: served });
  const git = (...words: readonly string[]) => execFileSync("git", words, { cwd: served, stdio: "ignore" });
  git("init", "--bare", "--initial-branch=main", "code.git");
  git("-C", served, "init", "--initial-branch=main", "source");
  git(
    "-C",
    join(served, "source"),
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@b",
    "commit",
    "--allow-empty",
    "-m",
    "one",
  );
  git("-C", join(served, "source"), "push", join(served, "code.git"), "main");
  git("-C", join(served, "code.git"), "update-server-info");
  await using server = await serve(served);
  const { port } = server;
  const list = new AllowList([`registry.test:${port}`, `code.test:${port}`, `127.0.0.1:${port}`]);
  const connections: DoorConnection[] = [];
  const socket = place.folder.at("data/door");
  await using door = await NetworkDoor.open({
    socket,
    allow: list,
    decide: async ({ host, port: wanted }) => {
      const entry = list.find(host, wanted);
      return entry === undefined
        ? { allowed: false, reason: `${host} is not on the list.` }
        : { allowed: true, by: entry };
    },
    record: (connection) => connections.push(connection),
    resolve: async () => [{ address: "127.0.0.1" }],
  });
  const caches = cacheVariables(place.folder.at("data"));
  const run = async (command: string, network: "off" | ReturnType<typeof doorTo>) => {
    const env = { ...caches({ enforcement, policy: { network } }), HOME: place.folder.at("home") };
    const result = await place.run({ enforcement, command, env, timeout: 50_000 }, { network });
    return { ...result, text: result.output.text };
  };
  const install = `npm install left --registry http://registry.test:${port}/ --no-audit --no-fund`;
  const clone = `git clone --quiet http://code.test:${port}/code.git cloned`;

  const off = await run(`${install}; ${clone}`, "off");
  expect(off.text).toMatch(/npm error (code|network) /);
  expect(off.denials.map(({ what }) => what)).toContain("network");
  // Two minutes is what npm's own retries take.
  expect(off.milliseconds).toBeLessThan(45_000);

  const named = await run(`${install} && ${clone} && git -C cloned log --format=%s`, doorTo(socket, list));
  expect(named.text).toMatch(/added 1 package[\s\S]*one\n/);
  expect(existsSync(place.folder.at("work/node_modules/left/package.json"))).toBe(true);
  expect(existsSync(place.folder.at("data/workspace/cache/npm"))).toBe(true);
  expect(new Set(connections.map(({ host }) => host))).toEqual(new Set(["registry.test", "code.test"]));
  const refused = await run(
    `${install.replace("registry.test", "other.test")} --cache /tmp/none`,
    doorTo(socket, list),
  );
  expect(refused.text).toContain("403");
  expect(door).toBeDefined(); // closed after this
});
