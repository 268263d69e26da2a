// Proves an enforcement at start: one command tries to write inside and outside, to read a secret and to reach this process over the network.
// The result is what really happened to the files, not what the command prints.
import { existsSync } from "node:fs";
import { mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "@signalbox/base";
import { probeHelper } from "../launch/find-helper.ts";
import { createPolicy } from "../policy/create-policy.ts";
import { runCommand } from "../run-command/run-command.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "../temporary-folder.ts";
import type { Enforcement } from "./enforcement.ts";

/** Its command ends after ten seconds at the latest. */
const maxAgeMs = 10 * 60 * 1000;

/** The newest Landlock interface of the kernel; 0 where there is none, or where the helper does not run. */
export async function landlockAbi(helper: string): Promise<number> {
  return (await probeHelper(helper)) ?? 0;
}

/** Undefined when enforcement works, otherwise what did not. */
export async function selfTest(enforcement: Enforcement): Promise<string | undefined> {
  let parent: string | undefined;
  try {
    parent = makeTemporaryFolder(tmpdir(), "signalbox-self-test-", maxAgeMs);
    return await trial(enforcement, await realpath(parent));
  } catch (error) {
    return messageOf(error);
  } finally {
    if (parent !== undefined) removeTemporaryFolder(parent);
  }
}

async function trial(enforcement: Enforcement, parent: string): Promise<string | undefined> {
  const inside = join(parent, "inside");
  const data = join(parent, "data");
  await mkdir(inside);
  await mkdir(data);
  await writeFile(join(data, "secret"), secretText);
  await writeFile(join(parent, "existing"), "as before");
  const policy = createPolicy({
    mode: "sandbox",
    network: "off",
    workspaceFolders: [inside],
    dataFolder: data,
    tempFolder: join(inside, "temp"),
  });
  await using listener = await Listener.open();
  const command = [
    "echo yes > inside-file",
    `echo no > ${parent}/outside-file`,
    `echo no > ${parent}/existing`,
    `cat ${data}/secret`,
    `(echo no > /dev/tcp/127.0.0.1/${listener.port})`,
    "echo finished",
  ].join("\n");
  const result = await runCommand({ enforcement, policy, command, cwd: inside, timeout: 10_000 });
  if (result.ended === "refused") return result.message;
  if (!existsSync(join(inside, "inside-file"))) return `a command cannot write in the workspace: ${result.output.text}`;
  if (existsSync(join(parent, "outside-file"))) return "a command can create a file outside";
  if ((await readFile(join(parent, "existing"), "utf8")) !== "as before") return "a command can change a file outside";
  if (result.output.text.includes(secretText)) return "a command can read our own data";
  if (listener.wasReached) return "a command can reach the network";
  return undefined;
}

const secretText = "signalbox-self-test-secret";

/** A port of ours that a command without network must not reach. */
class Listener implements AsyncDisposable {
  readonly #server = createServer((connection) => {
    this.wasReached = true;
    connection.destroy();
  });
  wasReached = false;

  static async open(): Promise<Listener> {
    const listener = new Listener();
    await new Promise<void>((resolve, reject) => {
      listener.#server.once("error", reject);
      listener.#server.listen(0, "127.0.0.1", resolve);
    });
    return listener;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
