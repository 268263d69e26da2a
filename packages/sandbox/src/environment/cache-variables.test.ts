import { existsSync, mkdirSync } from "node:fs";
import { expect, it } from "vitest";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { TemporaryFolder } from "../testing/temporary-folder.ts";
import { cacheVariables } from "./cache-variables.ts";

it("gives caches that can be written, those for downloads only with a network, and none to a command outside the sandbox", () => {
  using folder = new TemporaryFolder();
  const inside: Enforcement = { kind: "landlock", helper: "/x", layer: "namespaces", abi: 7 };
  const variables = cacheVariables(folder.path);
  expect(variables({ enforcement: { kind: "off", helper: undefined }, policy: { network: "on" } })).toEqual({});
  const off = variables({ enforcement: inside, policy: { network: "off" } });
  expect(off.npm_config_cache).toBe(folder.at("workspace/cache/npm"));
  // What was downloaded before can be read where it is.
  expect(off).not.toHaveProperty("CARGO_HOME");
  const on = variables({ enforcement: inside, policy: { network: "on" } });
  expect(on).toMatchObject({ ...off, CARGO_HOME: folder.at("workspace/cache/cargo") });
  expect(existsSync(folder.at("workspace/cache"))).toBe(true);
  // What a command has downloaded is found without the network too.
  mkdirSync(folder.at("workspace/cache/corepack"));
  const later = variables({ enforcement: inside, policy: { network: "off" } });
  expect(later).toEqual({ ...off, COREPACK_HOME: folder.at("workspace/cache/corepack") });
});
