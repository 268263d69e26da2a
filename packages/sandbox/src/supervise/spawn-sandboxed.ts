// Starts a whole agent inside the sandbox: itself and everything it starts. Otherwise it is a supervised program like any other.
import { randomUUID } from "node:crypto";
import type { AgentEnforcement } from "../enforcement/enforcement.ts";
import { openSettings, restoreSettings, settleAlways } from "../git-settings/open-settings.ts";
import { helperLaunch } from "../launch/helper-launch.ts";
import { describePutAside, watchMadeSettings } from "../made-settings/made-settings.ts";
import { proxyVariables } from "../network/proxy-places.ts";
import type { Policy } from "../policy/policy.ts";
import { markedEnvironment } from "./process-mark.ts";
import { type SupervisedProcess, type SupervisedProgram, spawnWithLifeline } from "./spawn-supervised.ts";

export interface SandboxedProgram extends Omit<SupervisedProgram, "helper"> {
  readonly enforcement: AgentEnforcement;
  readonly policy: Policy;
  /** The socket of the loopback that it shares with the commands of its session (`SessionLoopback`). Without one it has its own, or the machine's. */
  readonly loopback?: string | undefined;
  /** Called with sentences about settings of git: which change was dropped, or why the program was ended. */
  readonly onNotice?: (line: string) => void;
}

/** An agent lives long and builds what it likes: 0 is no limit. */
const noLimits = { memory: 0, processes: 0, fileSize: 0, output: 0 };

/** Its environment is passed on whole: an agent lives on keys in it. */
export function spawnSandboxed(program: SandboxedProgram): SupervisedProcess {
  const { enforcement, policy, command, args, cwd, env, loopback, onNotice = () => {} } = program;
  const mark = randomUUID();
  restoreSettings(policy);
  const settings = openSettings(policy);
  const launch = helperLaunch(
    enforcement.helper,
    enforcement.layer,
    {
      policy,
      command: [command, ...args],
      cwd,
      env: markedEnvironment({ ...env, ...(typeof policy.network === "string" ? {} : proxyVariables) }, mark),
      limits: noLimits,
      streams: "own",
      end: "same",
      links: settings.links,
      loopback,
    },
    enforcement.abi,
  );
  // Before it starts: a change that came first would wait for the next one.
  const endOfGit = settleAlways(settings, onNotice);
  const made = watchMadeSettings(policy);
  const endSettling = () => {
    for (const aside of made.close()) onNotice(describePutAside(aside));
    endOfGit();
  };
  const start = (): SupervisedProcess =>
    spawnWithLifeline({
      helper: launch.program,
      args: launch.arguments,
      cwd: launch.cwd,
      env: launch.env,
      mark,
      onChanged: () => {
        if (settings.hasDoubts()) supervised.killTree();
      },
    });
  let supervised: SupervisedProcess;
  try {
    supervised = start();
  } catch (error) {
    endSettling();
    throw error;
  }
  supervised.process.once("exit", endSettling);
  supervised.process.once("error", endSettling);
  return supervised;
}
