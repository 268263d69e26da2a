// The home folder inside the sandbox: known places of keys, secrets that come into being while a command runs, and what must still be there.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { cacheVariables } from "../environment/cache-variables.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";

let enforcement: Enforcement;
let layers: readonly Enforcement[] = [];
beforeAll(async () => {
  enforcement = await provenEnforcement();
  layers = enforcement.kind === "landlock" ? [enforcement, { ...enforcement, layer: "landlock" }] : [enforcement];
}, 60_000);
afterEach(() => vi.unstubAllEnvs());

const places = [
  ".ssh/id_ed25519 .gnupg/secring.gpg .netrc .git-credentials .config/git/credentials .npmrc .pypirc .pgpass .my.cnf .aws/credentials",
  ".azure/accessTokens.json .kube/config .docker/config.json .config/gcloud/credentials.db .config/gh/hosts.yml .vault-token .bash_history",
  ".config/configstore/firebase-tools.json .config/pypoetry/auth.toml .gradle/gradle.properties .pulumi/credentials.json .config/pnpm/rc",
  ".local/share/uv/credentials/credentials.toml .config/io.datasette.llm/keys.json .config/helm/registry/config.json .config/argocd/config",
  ".subversion/auth/svn.simple/a .supabase/access-token .railway/config.json .config/hcloud/cli.toml .minikube/profiles/minikube/client.key",
  ".tsh/keys/a .Xauthority .thunderbird/a/logins.json .config/Slack/Cookies .local/share/jupyter/runtime/kernel.json .config/cursor/auth.json",
  ".local/share/amp/secrets.json .vibe/.env .local/share/crush/crush.json .continue/config.yaml .codex/.env .codex/auth.json .claude.json",
  ".claude/.credentials.json .gemini/oauth_creds.json .qwen/oauth_creds.json .pi/agent/auth.json .copilot/config.json .cline/data/a.json",
  ".cargo/credentials.toml .cargo/config.toml .m2/settings.xml .gem/credentials .gitconfig .mozilla/firefox/a/key4.db .config/op/config",
  "signalbox-open-1/open.html notes.txt",
].flatMap((line) => line.split(" "));

describe("keys in the home folder", () => {
  it(`are read at none of ${places.length} known places`, async () => {
    using place = new SandboxedPlace(Object.fromEntries(places.map((name) => [`home/${name}`, "hunter2"])));
    const command = `cd ${place.folder.at("home")}; cat ${places.join(" ")}; grep -r hunter2 .`;
    for (const each of layers) {
      const { output } = await place.run({ enforcement: each, command });
      expect(output.text).not.toContain("hunter2");
    }
  });

  const replace = (path: string) => {
    writeFileSync(`${path}.new`, "hunter2");
    renameSync(`${path}.new`, path);
  };
  const make = (path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "hunter2");
  };
  const becomeLink = (path: string) => {
    rmSync(dirname(path), { recursive: true });
    make(join(dirname(dirname(path)), "dotfiles/id"));
    symlinkSync("dotfiles", dirname(path));
  };

  it.each([
    ["npm replaces .npmrc", ".npmrc", replace],
    ["git replaces .git-credentials", ".git-credentials", replace],
    ["Claude Code replaces .claude.json", ".claude.json", replace],
    [".pgpass is made", ".pgpass", make],
    ["gh makes its folder", ".config/gh/hosts.yml", make],
    [".aws is made anew", ".aws/credentials", make],
    [".ssh becomes a link", ".ssh/id", becomeLink],
  ])("are not read when %s while a command runs", async (_, name, change) => {
    using place = new SandboxedPlace({
      "home/.npmrc": "",
      "home/.git-credentials": "",
      "home/.claude.json": "",
      "home/.ssh/id": "",
    });
    const path = place.folder.at(`home/${name}`);
    const wait = `echo > started; until [ -e changed ]; do sleep 0.02; done; cat ${path}; true`;
    for (const each of layers) {
      for (const mark of ["started", "changed"]) rmSync(place.folder.at(`work/${mark}`), { force: true });
      const running = place.run({ enforcement: each, command: wait, timeout: 20_000 });
      await vi.waitFor(() => readFileSync(place.folder.at("work/started")), { timeout: 15_000 });
      if (each === layers[0]) change(path);
      writeFileSync(place.folder.at("work/changed"), "");
      expect((await running).output.text).not.toContain("hunter2");
    }
  });
});

describe("keys that other ways lead to", () => {
  const key = {
    "home/.ssh/id": "hunter2",
    "home/.aws/credentials": "hunter2",
    "home/signalbox-open/1.html": "hunter2",
  };

  it("are not read over links in folders that show, or where the PATH names their folder", async () => {
    using place = new SandboxedPlace({
      ...key,
      "home/.local/bin/key": { link: "../../.ssh/id" },
      "home/bin/keys": { link: "../.ssh" },
    });
    const home = place.folder.at("home");
    const env = { PATH: [home, `${home}/bin`, `${home}/.ssh`, `${home}/.aws`, `${home}/..`, "/usr/bin"].join(":") };
    const command = `cat ${home}/.local/bin/key ${home}/bin/keys/id; grep -rs hunter2 ${home}`;
    expect((await place.run({ enforcement, command }, { env })).output.text).not.toContain("hunter2");
  });

  it("are not read where the workspace holds the home folder, nor is the file that opens the page", async () => {
    using place = new SandboxedPlace({ ...key, "home/project/a": "mine" });
    const { output } = await place.run(
      { enforcement, command: "grep -rs . ../home" },
      { workspaceFolders: [place.folder.at("")] },
    );
    expect(output.text).toContain("mine");
    expect(output.text).not.toContain("hunter2");
  });

  it("are not read outside the home folder where a variable leads to them", async () => {
    const names = ["XAUTHORITY", "XDG_RUNTIME_DIR", "KUBECONFIG", "NETRC", "GNUPGHOME", "AWS_SHARED_CREDENTIALS_FILE"];
    using place = new SandboxedPlace(Object.fromEntries(names.map((name) => [`outside/${name}/key`, "hunter2"])));
    const env = Object.fromEntries(names.map((name) => [name, place.folder.at("outside", name)]));
    const { output } = await place.run({ enforcement, command: "grep -rs hunter2 ../outside" }, { env });
    expect(output.text).toBe("");
  });
});

describe("in the empty home folder", () => {
  it("toolchains, folders of programs on the PATH and what the config names are there, and cannot be written", async () => {
    using place = new SandboxedPlace({
      "home/.nvm/versions/node": "node",
      "home/.cargo/bin/cargo": "cargo",
      "home/tools/bin/mine": "mine",
      "home/tools/lib/part": "part",
      "home/documents/letter": "letter",
      "home/.kube/config": "chosen",
    });
    const home = place.folder.at("home");
    chmodSync(join(home, "tools/bin/mine"), 0o755);
    const env = { PATH: [join(home, "tools/bin"), join(home, "documents"), home].join(":") };
    const settings = { env, readable: [join(home, ".kube")] };
    const command = `cd ${home}; cat .nvm/versions/node .cargo/bin/cargo tools/bin/mine tools/lib/part .kube/config documents/letter; touch .nvm/x x`;
    for (const each of layers) {
      const { text } = (await place.run({ enforcement: each, command }, settings)).output;
      expect(text).toContain("nodecargominepartchosen");
      expect(text).not.toMatch(/letter$/m);
    }
    expect(() => readFileSync(join(home, ".nvm/x"))).toThrow("ENOENT");
  });

  it("git knows the person's name and address, by folder too, and nothing else of the settings", async () => {
    using place = new SandboxedPlace({
      "home/.gitconfig":
        '[user]\n\tname = "A \\"B\\" C"\n\temail = private@example.invalid\n[credential]\n\thelper = "!evil"\n[url "https://hunter2@x/"]\n\tinsteadOf = y\n[includeIf "gitdir:**/work/.git"]\n\tpath = work.inc\n',
      "home/work.inc": "[user]\n\temail = work@example.invalid\n[core]\n\tpager = evil\n",
    });
    vi.stubEnv("HOME", place.folder.at("home"));
    vi.stubEnv("GIT_CONFIG_GLOBAL", undefined);
    execFileSync("git", ["init", "--quiet", place.folder.at("work")]);
    const variables = cacheVariables(place.folder.at("data"))({ enforcement, policy: { network: "off" } });
    const command =
      "git commit --quiet --allow-empty -m x && git log --format='%an %ae'; git config --list --global --includes";
    const { text } = (await place.run({ enforcement, command, env: { ...variables } })).output;
    expect(text).toContain('A "B" C work@example.invalid');
    expect(text).not.toMatch(/evil|hunter2/);
  });
});
