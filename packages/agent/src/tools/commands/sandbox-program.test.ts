import { randomUUID } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it, vi } from "vitest";
import { processesWith } from "../../../../../test/support/processes.ts";
import { type TestFolder, testFolder } from "../testing/try-tool.ts";

// A busy machine takes its time to start processes.
vi.setConfig({ testTimeout: 30_000 });

const start = (folder: TestFolder, script: string, more: object = {}) =>
  folder.workspace.spawn({
    command: "/bin/bash",
    args: ["-c", script],
    cwd: folder.cwd,
    env: {},
    network: false,
    ...more,
  });

describe("a program in the sandbox", () => {
  it("gets what we write and gives what it writes, stderr apart", async () => {
    await using folder = testFolder();
    const program = await start(folder, "echo oops >&2; cat; echo bye");
    program.stdin.end("hello\n");
    expect(await text(program.stdout)).toBe("hello\nbye\n");
    expect(await program.ended).toBe("exit code 0");
    expect(program.errors()).toBe("oops");
  });

  it("carries a lot, byte for byte", async () => {
    await using folder = testFolder();
    const program = await start(folder, "exec cat");
    const sent = "0123456789abcdef".repeat(500_000);
    const received = text(program.stdout);
    program.stdin.end(sent);
    expect((await received) === sent).toBe(true);
  });

  it("gets its variables, also keys, without showing them on any command line", async () => {
    await using folder = testFolder();
    const secret = `secret-${randomUUID()}`;
    const program = await start(folder, 'echo "$SOME_API_KEY"; read -r', { env: { SOME_API_KEY: secret, EMPTY: "" } });
    const received = text(program.stdout);
    expect(processesWith(secret)).toEqual([]);
    program.stdin.end("\n");
    expect(await received).toBe(`${secret}\n`);
  });

  it("is in the sandbox", async () => {
    await using folder = testFolder();
    const program = await start(folder, `echo x > inside; echo x > ${folder.outside}/a`);
    await program.ended;
    expect(existsSync(folder.path("inside"))).toBe(true);
    expect(readdirSync(folder.outside)).toEqual([]);
  });

  it("says how it ended, and why it could not start", async () => {
    await using folder = testFolder();
    expect(await (await start(folder, "exit 3")).ended).toBe("exit code 3");
    const missing = await folder.workspace.spawn({
      command: "no-such-program",
      args: [],
      cwd: folder.cwd,
      env: {},
      network: false,
    });
    expect(await missing.ended).toContain("no-such-program");
    const nowhere = await start(folder, "true", { cwd: folder.path("none") });
    expect(await nowhere.ended).toContain("does not exist");
  });

  it("can be asked to end, and be made to", async () => {
    await using folder = testFolder();
    const polite = await start(
      folder,
      "trap 'echo leaving; exit 0' TERM; echo here; while true; do read -t 0.05 -r; done",
    );
    await expect.poll(() => polite.stdout.readableLength).toBeGreaterThan(0);
    polite.terminate();
    expect(await text(polite.stdout)).toBe("here\nleaving\n");

    const marker = `marker-${randomUUID()}`;
    const deaf = await start(folder, `trap '' TERM; (setsid bash -c 'exec -a ${marker} sleep 600' &) ; sleep 600`);
    await expect.poll(() => processesWith(`${marker}\0`)).toHaveLength(1);
    deaf.terminate();
    deaf.kill();
    await deaf.ended;
    await expect.poll(() => processesWith(marker)).toEqual([]);
  });
});
