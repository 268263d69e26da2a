// What a command without a keyboard finds in its environment.
import { expect, it } from "vitest";
import { proxyVariables } from "../network/door-places.ts";
import type { NetworkAccess } from "../policy/policy.ts";
import { unattendedVariables } from "./unattended-variables.ts";

const byName: NetworkAccess = { socket: "/proxy", places: [], hosts: "" };

it.each<[string, NetworkAccess]>([
  ["off", "off"],
  ["on", "on"],
  ["by name", byName],
])("with the network %s no editor, no pager and no question waits for a person", (_name, network) => {
  expect(unattendedVariables(network)).toMatchObject({
    ...Object.fromEntries(["GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "EDITOR", "VISUAL"].map((name) => [name, "true"])),
    ...Object.fromEntries(["PAGER", "GIT_PAGER", "MANPAGER"].map((name) => [name, "cat"])),
    GIT_TERMINAL_PROMPT: "0",
  });
});

it("without the network nothing is tried again, and a program can know why", () => {
  const fast = {
    npm_config_fetch_retries: "0",
    pnpm_config_fetch_retries: "0",
    PIP_RETRIES: "0",
    CARGO_NET_RETRY: "0",
    CARGO_NET_OFFLINE: "true",
    GOPROXY: "off",
    COREPACK_ENABLE_NETWORK: "0",
    UV_OFFLINE: "1",
    YARN_ENABLE_NETWORK: "0",
    YARN_HTTP_RETRY: "0",
    SIGNALBOX_NETWORK: "off",
  };
  expect(unattendedVariables("off")).toMatchObject(fast);
  for (const network of ["on", byName] as const)
    for (const [name, value] of Object.entries(fast)) expect(unattendedVariables(network)[name]).not.toBe(value);
  expect(unattendedVariables(byName)).toMatchObject(proxyVariables);
});
