// For tests: a folder with a workspace in it, and a way to run commands there under any mode.
import { createPolicy, type PolicySettings } from "../policy/create-policy.ts";
import type { Policy } from "../policy/policy.ts";
import type { Ending, Ran } from "../run-command/command-result.ts";
import { type CommandOptions, runCommand } from "../run-command/run-command.ts";
import { TemporaryFolder, type Tree } from "./temporary-folder.ts";

export class SandboxedPlace implements Disposable {
  readonly folder: TemporaryFolder;

  constructor(tree: Tree = {}) {
    this.folder = new TemporaryFolder({
      work: null,
      outside: null,
      "data/workspace": null,
      home: null,
      temp: null,
      ...tree,
    });
  }

  policy(more: Partial<PolicySettings> = {}): Policy {
    return createPolicy({
      mode: "sandbox",
      network: "off",
      workspaceFolders: [this.folder.at("work")],
      dataFolder: this.folder.at("data"),
      homeFolder: this.folder.at("home"),
      tempFolder: this.folder.at("temp"),
      ...more,
    });
  }

  /** The ending and the output; a refusal is an error. */
  async run(
    options: Pick<CommandOptions, "enforcement" | "command"> & Partial<CommandOptions>,
    settings: Partial<PolicySettings> = {},
  ): Promise<Ending & Ran> {
    const result = await runCommand({ policy: this.policy(settings), cwd: this.folder.at("work"), ...options });
    if (result.ended === "refused") throw new Error(result.message);
    return result;
  }

  [Symbol.dispose](): void {
    this.folder[Symbol.dispose]();
  }
}
