// Starts a whole agent inside the sandbox: itself and everything it starts. Otherwise it is a supervised program like any other.
import { randomUUID } from "node:crypto";
import type { AgentEnforcement } from "../enforcement/enforcement.ts";
import { openSettings, settleAlways } from "../git-settings/open-settings.ts";
import { helperLaunch } from "../launch/helper-launch.ts";
import { proxyVariables } from "../network/door-places.ts";
import type { Policy } from "../policy/policy.ts";
import { markedEnvironment } from "./process-mark.ts";
import { type SupervisedProcess, type SupervisedProgram, spawnWithLifeline } from "./spawn-supervised.ts";

export interface EnclosedProgram extends Omit<SupervisedProgram, "helper"> {
  readonly enforcement: AgentEnforcement;
  readonly policy: Policy;
  /** The socket of the loopback that it shares with the commands of its session (`SessionLoopback`). Without one it has its own, or the machine's. */
  readonly loopback?: string | undefined;
  /** Called with what it changed in settings of git and was taken back. */
  readonly onTakenBack?: (line: string) => void;
  /** Called with what a person should look at: the sandbox could not keep it closed all the time. */
  readonly onWarning?: (line: string) => void;
}

/** An agent lives long and builds what it likes: 0 is no limit. */
const noLimits = { memory: 0, processes: 0, fileSize: 0, output: 0 };

/** Its environment is passed on whole: an agent lives on keys in it. */
export function spawnEnclosed(program: EnclosedProgram): SupervisedProcess {
  const {
    enforcement,
    policy,
    command,
    args,
    cwd,
    env,
    loopback,
    onTakenBack = () => {},
    onWarning = () => {},
  } = program;
  const mark = randomUUID();
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
  const endSettling = settleAlways(settings, onTakenBack, onWarning);
  const supervised: SupervisedProcess = spawnWithLifeline({
    helper: launch.program,
    args: launch.arguments,
    cwd: launch.cwd,
    env: launch.env,
    mark,
    onReplaced: (path, text) => {
      if (settings.replaced(path, text)) supervised.killTree();
      for (const line of settings.settle()) onTakenBack(line);
      for (const line of settings.warnings()) onWarning(line);
    },
  });
  supervised.process.once("exit", endSettling);
  supervised.process.once("error", endSettling);
  return supervised;
}
