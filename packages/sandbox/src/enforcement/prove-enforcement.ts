// Finds the strongest enforcement that this machine has and proves it by trying: each candidate has to pass the self-test.
// What cannot be proven is not used, and without any, commands are refused.
import { existsSync } from "node:fs";
import { findHelper } from "../launch/find-helper.ts";
import type { Enforcement } from "./enforcement.ts";
import { landlockAbi, selfTest } from "./self-test.ts";

export interface EnforcementChoice {
  /** Only from the user's own config, never from a project's. */
  readonly off?: boolean;
  readonly helper?: string | undefined;
}

/** Fixed places, not PATH: the program that sandboxes a command must not come from a folder that another user can write. */
const bubblewrapPlaces = ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap"];
const sandboxExec = "/usr/bin/sandbox-exec";

export async function proveEnforcement(choice: EnforcementChoice = {}): Promise<Enforcement> {
  const helper = "helper" in choice ? choice.helper : findHelper();
  if (choice.off === true) return { kind: "off", helper };
  const failures: string[] = [];
  for await (const candidate of candidates(helper)) {
    const problem = await selfTest(candidate);
    if (problem === undefined) return candidate;
    failures.push(`${candidate.kind}: ${problem}`);
  }
  return unavailable(helper, failures);
}

async function* candidates(
  helper: string | undefined,
): AsyncGenerator<Exclude<Enforcement, { kind: "off" | "unavailable" }>> {
  if (process.platform === "darwin") {
    if (existsSync(sandboxExec)) yield { kind: "seatbelt", program: sandboxExec };
    return;
  }
  const abi = helper === undefined ? 0 : await landlockAbi(helper);
  if (helper !== undefined && abi > 0) {
    yield { kind: "landlock", helper, layer: "namespaces", abi };
    yield { kind: "landlock", helper, layer: "landlock", abi };
  }
  const program = bubblewrapPlaces.find((path) => existsSync(path));
  if (program !== undefined) yield { kind: "bubblewrap", program };
}

function unavailable(helper: string | undefined, failures: readonly string[]): Enforcement {
  const tried = failures.length > 0 ? ` (${failures.join("; ")})` : "";
  if (process.platform !== "linux") {
    return {
      kind: "unavailable",
      reason: `this system (${process.platform}) gives no sandbox that works${tried}.`,
      remedy: 'Use Linux or macOS, or set sandbox.mode to "off" in your own config to run without.',
    };
  }
  return {
    kind: "unavailable",
    reason:
      helper === undefined
        ? `the sandbox helper is not compiled and bubblewrap is not usable${tried}.`
        : `the kernel's Landlock is not usable, nor is bubblewrap${tried}.`,
    remedy:
      helper === undefined
        ? 'Run `node packages/sandbox/native/build.mjs` (needs a C compiler) or install bubblewrap; or set sandbox.mode to "off" in your own config.'
        : 'Use a kernel of 5.13 or newer with Landlock enabled, or install bubblewrap; or set sandbox.mode to "off" in your own config.',
  };
}
