import { expect, it } from "vitest";
import { readTerminalSandbox, terminalSandboxMeta } from "./terminal-sandbox.ts";

it("reads the promise that a client makes", () => {
  const sandbox = { mode: "rx", network: true } as const;
  expect(readTerminalSandbox({ _meta: terminalSandboxMeta(sandbox) })).toEqual(sandbox);
});

it.each([
  [{}],
  [{ _meta: null }],
  [{ _meta: { other: 1 } }],
  [{ _meta: { "signalbox/terminal_sandbox": true } }],
  [{ _meta: { "signalbox/terminal_sandbox": { mode: "sandbox" } } }],
  [{ _meta: { "signalbox/terminal_sandbox": { mode: "off", network: false } } }],
])("takes %j for no promise", (capabilities) => {
  expect(readTerminalSandbox(capabilities)).toBeUndefined();
});
