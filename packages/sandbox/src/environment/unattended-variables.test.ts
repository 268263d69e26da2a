// What a command without a keyboard finds in its environment, as the programs that look there understand it.
import { execFileSync, spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import type { NetworkAccess } from "../policy/policy.ts";
import { unattendedVariables } from "./unattended-variables.ts";

const byName: NetworkAccess = { socket: "/proxy", places: [], hosts: "" };

/** What a command line prints where a person has settings that would wait for them. */
function printed(command: string, network: NetworkAccess): string {
  const own = {
    EDITOR: "vi",
    VISUAL: "vi",
    GIT_EDITOR: "vi",
    GIT_PAGER: "less",
    PAGER: "less",
    npm_config_fetch_retries: "3",
    // Of the terminal in which the tests run.
    SIGNALBOX_NETWORK: "",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
  };
  const env = { ...process.env, ...own, ...unattendedVariables(network) };
  return execFileSync("/bin/sh", ["-c", command], { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}

it.each<[string, NetworkAccess]>([
  ["off", "off"],
  ["on", "on"],
  ["by name", byName],
])(
  "with the network %s git and others start no editor and no pager that waits, and git asks for no password",
  (_name, network) => {
    const named = '"$GIT_SEQUENCE_EDITOR" "$EDITOR" "$VISUAL" "$PAGER" "$MANPAGER"';
    const started = printed(`git var GIT_EDITOR; git var GIT_PAGER; printf '%s\\n' ${named}`, network)
      .trim()
      .split("\n");
    expect(started).toHaveLength(7);
    for (const program of new Set(started)) {
      // Each ends by itself: a pager with what it got, an editor without a change.
      const { status, stdout } = spawnSync("/bin/sh", ["-c", program], {
        input: "text",
        timeout: 10_000,
        encoding: "utf8",
      });
      expect([status, stdout === "" || stdout === "text"]).toEqual([0, true]);
    }
    const password =
      "printf 'protocol=https\\nhost=a.invalid\\n\\n' | git -c credential.helper= -c core.askPass= credential fill";
    expect(printed(`${password} 2>&1 || true`, network)).toContain("terminal prompts disabled");
  },
);

it("without the network npm tries once, with it as often as the person says; only then a program is told that it is off", () => {
  const command = "npm config get fetch-retries; echo $SIGNALBOX_NETWORK";
  expect(printed(command, "off").split("\n")).toEqual(["0", "off", ""]);
  expect(printed(command, "on").split("\n")).toEqual(["3", "", ""]);
});

it("with the network on, or by name, nothing of what keeps programs from it is left", () => {
  const off = Object.entries(unattendedVariables("off"));
  const always = new Set(Object.keys(unattendedVariables("on")));
  const onlyOff = off.filter(([name]) => !always.has(name));
  expect(onlyOff.length).toBeGreaterThan(0);
  for (const [name, value] of onlyOff) expect(unattendedVariables(byName)[name]).not.toBe(value);
});
