// One step of set-up: a line of progress while it runs, and a failure that says which step, why, and what to do.
import { spawn } from "node:child_process";

export class SetUpError extends Error {
  name = "SetUpError";
}

/** Progress goes to stderr: stdout belongs to the command that set-up was run for. */
export function printProgress(line) {
  process.stderr.write(`${line}\n`);
}

const otherPackage = /EINTEGRITY/;
const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|network request|FETCH_ERROR/i;

/** Runs a command of a step. Its output is shown only when it fails. */
export async function run(step, command, args, options = {}) {
  const { code, output } = await capture(command, args, options);
  if (code === 0) return output;
  if (otherPackage.test(output)) {
    throw new SetUpError(
      `${output.trimEnd()}\nSet-up stopped while it ${step}: the package registry served a package whose SHA-512 is not the one pinned here. ` +
        "Nothing of it was unpacked or run. Check which registry npm uses (`npm config get registry`) and whether you trust it.",
    );
  }
  if (unreachable.test(output)) {
    throw new SetUpError(
      `Set-up stopped while it ${step}: the package registry could not be reached. ` +
        "This step needs the network once. Connect (or set npm's proxy) and run the same command again; what is done is kept.",
    );
  }
  throw new SetUpError(
    `${output.trimEnd()}\nSet-up stopped while it ${step}: \`${command} ${args.join(" ")}\` ended with code ${code}.`,
  );
}

/** Before a command: it gets the processor time that others do not need. */
export const lowPriority = ["nice", "-n", "10"];

/** Runs a command to its end; keeps the last of what it printed. */
export function capture(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
    let output = "";
    const append = (chunk) => {
      output = (output + chunk).slice(-200_000);
    };
    child.stdout.on("data", append);
    child.stderr.on("data", append);
    child.on("error", (error) => resolve({ code: -1, output: `${output}${error.message}\n` }));
    child.on("close", (code) => resolve({ code, output }));
  });
}
