import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

it("throws where no descriptor is free, and no event ends the process afterwards", () => {
  const program = `
    import { openSync, closeSync } from "node:fs";
    import { spawnWithPipes } from ${JSON.stringify(join(import.meta.dirname, "spawn-with-pipes.ts"))};
    const open = [];
    try { for (;;) open.push(openSync("/dev/null")); } catch {}
    try { spawnWithPipes("true", [], { stdio: "pipe" }); } catch (error) { console.log(error.message); }
    for (const each of open) closeSync(each);
    setImmediate(() => setImmediate(() => console.log("alive")));
  `;
  const node = [process.execPath, "--no-warnings", "--input-type=module", "--eval", program];
  const printed = execFileSync("sh", ["-c", 'ulimit -n 64 && exec "$@"', "sh", ...node], { encoding: "utf8" });
  expect(printed).toBe("true cannot be started: too many files are open here. Try again when fewer are.\nalive\n");
});
