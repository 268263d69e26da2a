// Checks which files of the host's packages open files themselves. Everything that a person, an agent or a project named is opened by
// packages/sandbox/src/files/open-file.ts, because closing a file of the register would drop SQLite's locks on it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root, sourceFiles } from "./source-files.ts";

const hostPackages = [
  "host",
  "checkpoints",
  "sandbox",
  "config",
  "history-import",
  "many-machines",
  "reports",
  "tinyvex",
];
const opening =
  /\b(?:open|readFile|writeFile|appendFile|copyFile|cp|truncate)(?:Sync)?\b|\bcreate(?:Read|Write)Stream\b|\bopenAsBlob\b/;
const fromFileSystem = /import \{([^}]*)\} from "node:fs(?:\/promises)?"/g;

/** By the only files that each opens. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  "files of its own in the data folder": [
    "checkpoints/src/changes/repository.ts",
    "checkpoints/src/changes/store.ts",
    "checkpoints/src/git/private-git-dir.ts",
    "config/src/keys/key-store.ts",
    "config/src/keys/login-store.ts",
    "config/src/models/catalogue.ts",
    "config/src/models/refresh-models.ts",
    "host/src/agents/acp-registry/acp-registry.ts",
    "host/src/agents/agent-log.ts",
    "host/src/agents/install/install-agent.ts",
    "host/src/agents/pid-ledger.ts",
    "host/src/data/data-folder.ts",
    "host/src/data/self-signed.ts",
    "host/src/devices/device-store.ts",
    "host/src/permissions/rule-store.ts",
    "sandbox/src/environment/git-identity.ts",
    "sandbox/src/made-settings/aside-store.ts",
    "sandbox/src/network/trust-files.ts",
  ],
  "the page, which is part of the program": ["host/src/server/page.ts"],
  "the certificate that a flag names: the host does not start with anything else": ["host/src/server/listening.ts"],
  "files of /proc": [
    "host/src/agents/process-table.ts",
    "host/src/agents/tree-memory.ts",
    "host/src/server/port-holder.ts",
    "sandbox/src/loopback/listening-ports.ts",
    "sandbox/src/supervise/process-mark.ts",
  ],
  "folders, and files that did not exist before": [
    "config/src/edit-config.ts",
    "sandbox/src/files/folder-entries.ts",
    "sandbox/src/files/open-verified.ts",
    "sandbox/src/files/read-plain-file.ts",
    "sandbox/src/files/write-file-atomic.ts",
    "sandbox/src/git-settings/open-folder.ts",
    "sandbox/src/made-settings/made-settings.ts",
    "sandbox/src/enforcement/self-test.ts",
    "tinyvex/src/database/connection.ts",
  ],
  "all others": ["sandbox/src/files/open-file.ts"],
};

it("only open-file.ts opens files that a person, an agent or a project named", () => {
  const found = sourceFiles()
    .filter((file) => hostPackages.includes(file.package) && !file.path.includes("/escape-attempts/"))
    .filter(({ path }) => {
      const text = readFileSync(join(root, path), "utf8");
      return [...text.matchAll(fromFileSystem)].some(([, names = ""]) => opening.test(names));
    })
    .map(({ path }) => path.replace("packages/", ""));
  expect(found.toSorted()).toEqual(Object.values(allowed).flat().toSorted());
});
