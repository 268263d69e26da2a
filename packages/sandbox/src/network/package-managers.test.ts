// Package managers through the proxy, for real and over TLS: npm and git fetch what a named host has, git pushes, and both fail fast, with the reason,
// where there is no network. Those of other languages are in registries.test.ts.
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { beforeAll, expect, it, vi } from "vitest";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { cacheVariables } from "../environment/cache-variables.ts";
import { ListedProxy } from "../testing/listed-proxy.ts";
import { PackageServer, packageHosts, trustVariables } from "../testing/package-server.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";

vi.setConfig({ testTimeout: 90_000 });

let enforcement: Enforcement;
beforeAll(async () => {
  enforcement = await provenEnforcement();
}, 60_000);

it("install, clone and push by https at named hosts with the variables that are set, and fail fast without a network", async () => {
  using place = new SandboxedPlace({ served: null, "work/package.json": "{}" });
  const served = place.folder.at("served");
  await using server = await PackageServer.open(served);
  const { port } = server;
  const listed = [...packageHosts.map((host) => `${host}:${port}`), `127.0.0.1:${port}`];
  await using proxy = await ListedProxy.open(place, listed);
  const caches = cacheVariables(place.folder.at("data"));
  const run = async (command: string, network: "off" | typeof proxy.network) => {
    const paths = { HOME: place.folder.at("home"), TMPDIR: place.folder.at("temp") };
    const env = { ...caches({ enforcement, policy: { network } }), ...trustVariables, ...paths };
    const result = await place.run({ enforcement, command, env, timeout: 80_000 }, { network });
    return { ...result, text: result.output.text };
  };
  const install = `npm install left --registry https://registry.test:${port}/ --no-audit --no-fund`;
  const clone = `git clone --quiet https://code.test:${port}/code.git cloned`;
  const push = [
    "cd cloned",
    "git -c user.name=a -c user.email=a@b commit --quiet --allow-empty -m two",
    "git push --quiet -u origin HEAD:pushed",
    "git log --format=%s",
  ].join(" && ");

  const off = await run(`${install}; ${clone}`, "off");
  expect(off.text).toMatch(/npm error (code|network) /);
  expect(off.denials.map(({ what }) => what)).toContain("network");
  // Two minutes is what npm's own retries take.
  expect(off.milliseconds).toBeLessThan(45_000);

  const named = await run(`${install} && ${clone} && (${push})`, proxy.network);
  expect(named.text).toMatch(/added 1 package[\s\S]*two\none\n/);
  expect(existsSync(place.folder.at("work/node_modules/left/package.json"))).toBe(true);
  expect(existsSync(place.folder.at("data/workspace/cache/npm"))).toBe(true);
  const log = ["--git-dir", `${served}/code.git`, "log", "--format=%s", "pushed"];
  expect(execFileSync("git", log, { encoding: "utf8" })).toBe("two\none\n");
  expect(new Set(proxy.connections.map(({ host }) => host))).toEqual(new Set(["registry.test", "code.test"]));

  // A host that is not on the list; then one that is, whose certificate is for other names: TLS is not opened on the way, so the program sees that.
  const elsewhere = `${install.replace("registry.test", "other.test")} --cache ${place.folder.at("temp/none")}`;
  const stranger = `git clone https://127.0.0.1:${port}/code.git stranger`;
  const refused = await run(`${elsewhere}; ${stranger}`, proxy.network);
  // npm prints the line of the status, and nothing of the answer's body.
  expect(refused.text).toContain("403 Forbidden: other.test is not on the list.");
  expect(refused.text).toMatch(/certificate|does not match/);
  expect(existsSync(place.folder.at("work/stranger"))).toBe(false);
});
