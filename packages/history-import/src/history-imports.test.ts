import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRegister } from "@signalbox/tinyvex";
import { expect, it } from "vitest";
import { HistoryImports } from "./history-imports.ts";

it("runs one import at a time and none after the host stopped", async () => {
  const home = mkdtempSync(join(tmpdir(), "signalbox-imports-"));
  const register = await openRegister({ path: join(home, "signalbox.db") });
  try {
    mkdirSync(join(home, ".claude/projects/-a"), { recursive: true });
    const line = { type: "user", cwd: "/a", message: { content: "Hello" } };
    writeFileSync(join(home, ".claude/projects/-a/s1.jsonl"), `${JSON.stringify(line)}\n`);
    const agentIds = { claude: "claude", codex: "codex" };
    const imports = new HistoryImports({ register, home, env: {}, agentIds });
    const first = imports.start("claude", () => {});
    await expect(imports.start("codex", () => {})).rejects.toMatchObject({ code: "conflict" });
    expect(await first).toMatchObject({ imported: 1 });
    expect(await imports.start("claude", () => {})).toMatchObject({ unchanged: 1 });
    await imports.stop();
    await expect(imports.start("claude", () => {})).rejects.toMatchObject({ code: "unavailable" });
  } finally {
    await register.close();
    rmSync(home, { recursive: true, force: true });
  }
});
