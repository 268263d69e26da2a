// Checks that the token is on no command line when the page is opened.
import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("the browser gets a private file that leads to the address, which is gone when the host ends", async () => {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-open-test-"));
  try {
    const opener = join(folder, "opener");
    const record = join(folder, "record");
    writeFileSync(
      opener,
      `#!/bin/sh\nprintf '%s\\n' "$*" > ${record}.unfinished\nstat -c '%a' "$1" "$(dirname "$1")" >> ${record}.unfinished\ncat "$1" >> ${record}.unfinished\nmv ${record}.unfinished ${record}\n`,
    );
    chmodSync(opener, 0o755);
    const url = "http://127.0.0.1:4280/#token=abc";
    const script = `
      import { existsSync } from "node:fs";
      import { openPrivately } from ${JSON.stringify(join(import.meta.dirname, "open-browser.ts"))};
      openPrivately(${JSON.stringify(url)}, ${JSON.stringify(opener)});
      while (!existsSync(${JSON.stringify(record)})) await new Promise((resolve) => setTimeout(resolve, 5));`;
    await promisify(execFile)(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], {
      env: { ...process.env, HOME: folder },
    });
    const [commandLine = "", fileMode, folderMode, ...page] = readFileSync(record, "utf8").split("\n");
    expect(commandLine).not.toContain("token");
    expect([fileMode, folderMode]).toEqual(["600", "700"]);
    expect(page.join("\n")).toContain(`location.replace("${url}")`);
    expect(existsSync(commandLine)).toBe(false);
    expect(readdirSync(folder).toSorted()).toEqual(["opener", "record"]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
