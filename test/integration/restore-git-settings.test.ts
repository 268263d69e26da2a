// A repository in which an older version made `.git/config` a link gets its plain file back when the host starts.
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sharedHost } from "../support/shared-host.ts";

it("a host that starts restores the settings of its threads' repositories and says so in the log", async () => {
  await using host = await sharedHost();
  const git = join(host.project, ".git");
  execFileSync("git", ["init", "--quiet", host.project]);
  using screen = await host.screen();
  await host.thread(screen);
  const before = readFileSync(join(git, "config"));
  mkdirSync(join(git, "signalbox"));
  renameSync(join(git, "config"), join(git, "signalbox/config"));
  writeFileSync(
    join(git, "signalbox/README"),
    'These are the settings of this repository. .git/config is a link to the file "config" here, so that …\n',
  );
  symlinkSync("signalbox/config", join(git, "config"));
  await host.restart();
  expect(lstatSync(join(git, "config")).isFile()).toBe(true);
  expect(readFileSync(join(git, "config")).equals(before)).toBe(true);
  expect(readdirSync(git)).not.toContain("signalbox");
  expect(host.process.stderr).toContain(`${join(git, "config")} is a plain file again.`);
});
