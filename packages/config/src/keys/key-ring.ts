// Keeps secrets in the key ring of the system: by `secret-tool` (libsecret) on Linux, by `security` (Keychain) on macOS.
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Throws where the key ring is locked, or there is none after all. */
export interface KeyRing {
  readonly name: string;
  read(account: string): Promise<string | undefined>;
  write(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** A person may have to unlock the key ring; no one waits longer. */
const timeoutMs = 30_000;
const service = "signalbox";

/** Undefined where this system has none that can be used. */
export function findKeyRing(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): KeyRing | undefined {
  if (platform === "darwin") {
    const program = findOnPath("security", env);
    return program === undefined ? undefined : keychain(program);
  }
  // Without a session bus no key ring answers, and secret-tool would start one for nothing.
  if (platform !== "linux" || !env.DBUS_SESSION_BUS_ADDRESS) return undefined;
  const program = findOnPath("secret-tool", env);
  return program === undefined ? undefined : secretService(program);
}

const attributes = (account: string) => ["service", service, "account", account];

function secretService(program: string): KeyRing {
  return {
    name: "the system's key ring",
    async read(account) {
      const { code, output } = await run(program, ["lookup", ...attributes(account)], "");
      return code === 0 && output !== "" ? output : undefined;
    },
    async write(account, secret) {
      const result = await run(program, ["store", `--label=Signalbox: ${account}`, ...attributes(account)], secret);
      if (result.code !== 0) throw new Error(result.problem);
    },
    async remove(account) {
      await run(program, ["clear", ...attributes(account)], "");
    },
  };
}

function keychain(program: string): KeyRing {
  return {
    name: "the macOS keychain",
    async read(account) {
      const { code, output } = await run(program, ["find-generic-password", "-s", service, "-a", account, "-w"], "");
      return code === 0 ? output.replace(/\n$/, "") : undefined;
    },
    async write(account, secret) {
      // By its standard input: every user of the machine can read the arguments of a program.
      const words = ["add-generic-password", "-U", "-s", service, "-a", account, "-w", secret].map(quoted).join(" ");
      const result = await run(program, ["-i"], `${words}\n`);
      const stored = await this.read(account);
      if (stored !== secret) throw new Error(result.problem);
    },
    async remove(account) {
      await run(program, ["delete-generic-password", "-s", service, "-a", account], "");
    },
  };
}

function quoted(word: string): string {
  return `"${word.replace(/["\\]/g, "\\$&")}"`;
}

interface Result {
  readonly code: number | null;
  readonly output: string;
  readonly problem: string;
}

function run(program: string, args: readonly string[], input: string): Promise<Result> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "pipe", timeout: timeoutMs });
    let output = "";
    let problem = "";
    child.stdout.on("data", (bytes: Buffer) => {
      output += bytes.toString("utf8");
    });
    child.stderr.on("data", (bytes: Buffer) => {
      problem += bytes.toString("utf8");
    });
    child.stdin.on("error", () => {}); // its exit says more
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, output, problem: problem.trim() || `${program} failed` }));
    child.stdin.end(input);
  });
}

function findOnPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env.PATH ?? "").split(delimiter).filter(isAbsolute);
  return folders
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
