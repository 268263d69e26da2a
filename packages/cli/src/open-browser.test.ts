// Checks that no token lies where others could read it when the page is opened, and that nothing that opens is left behind.
import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const address = "http://127.0.0.1:4280/#open=abc";
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "open-test-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** In a process of its own, with a home folder of its own. */
async function runInHome(script: string): Promise<void> {
  const module = JSON.stringify(join(import.meta.dirname, "open-browser.ts"));
  const source = `import { existsSync } from "node:fs"; import { openPrivately, removeLeftovers } from ${module}; ${script}`;
  await promisify(execFile)(process.execPath, ["--no-warnings", "--input-type=module", "-e", source], {
    env: { ...process.env, HOME: home },
  });
}

describe("the browser", () => {
  it("gets a private file that leads to the address, which is gone when the host ends", async () => {
    const opener = join(home, "opener");
    const record = join(home, "record");
    writeFileSync(
      opener,
      `#!/bin/sh\nprintf '%s\\n' "$*" > ${record}.unfinished\nstat -c '%a' "$1" "$(dirname "$1")" >> ${record}.unfinished\ncat "$1" >> ${record}.unfinished\nmv ${record}.unfinished ${record}\n`,
    );
    chmodSync(opener, 0o755);
    await runInHome(`
      openPrivately(${JSON.stringify(address)}, ${JSON.stringify(opener)});
      while (!existsSync(${JSON.stringify(record)})) await new Promise((resolve) => setTimeout(resolve, 5));`);
    const [commandLine = "", fileMode, folderMode, ...page] = readFileSync(record, "utf8").split("\n");
    expect(commandLine).not.toContain("abc");
    expect(commandLine).toMatch(/\/signalbox-open\/\d+\.html$/);
    expect([fileMode, folderMode]).toEqual(["600", "700"]);
    expect(page.join("\n")).toContain(`location.replace("${address}")`);
    expect(existsSync(commandLine)).toBe(false);
    expect(readdirSync(home).toSorted()).toEqual(["opener", "record"]);
  });

  it("is not opened through a link that leads elsewhere", async () => {
    mkdirSync(join(home, "elsewhere"));
    symlinkSync("elsewhere", join(home, "signalbox-open"));
    await runInHome(`openPrivately(${JSON.stringify(address)}, "true");`);
    expect(readdirSync(join(home, "elsewhere"))).toEqual([]);
  });
});

describe("a start", () => {
  it("removes the files of hosts that were killed, and of earlier versions, and nothing else", async () => {
    const write = (name: string, secondsAgo: number) => {
      const file = join(home, name);
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, "x");
      utimesSync(file, Date.now() / 1000 - secondsAgo, Date.now() / 1000 - secondsAgo);
    };
    write("signalbox-open-Ab12Cd/open.html", 1);
    write("signalbox-open-mine/open.html", 1);
    write("signalbox-open-Xy34Zz/mine.txt", 1);
    write("signalbox-open/12.html", 120);
    write("signalbox-open/13.html", 5);
    await runInHome("removeLeftovers();");
    expect(readdirSync(home, { recursive: true, encoding: "utf8" }).toSorted()).toEqual([
      "signalbox-open",
      "signalbox-open-Xy34Zz",
      "signalbox-open-Xy34Zz/mine.txt",
      "signalbox-open-mine",
      "signalbox-open-mine/open.html",
      "signalbox-open/13.html",
    ]);
  });
});
