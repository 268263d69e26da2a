// `signalbox proxy -- CMD ARGS` between a client and an agent: every byte passes, the host records, and the conversation does not need it.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { JsonObject } from "@signalbox/protocol";
import { describe, expect, it } from "vitest";
import { AcpTestClient, idIn } from "../support/acp-client.ts";
import { askPermission, fakeAgentFile, script, toolCall } from "../support/fake-agent/script.ts";
import { program, TemporaryFolder } from "../support/host-process.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

const text = (words: string) => [{ type: "text", text: words }];
const hash = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const fake = ["--", process.execPath, "--no-warnings", fakeAgentFile];

/** Lines that a client or an agent should not write, and a very long one. */
function oddBytes(): Buffer {
  const messages = [
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"a":1e400,"a":2}}',
    "junk",
    "",
    "\r",
    "[]",
  ];
  const deep = `${'{"method":"x","params":'.repeat(5000)}1${"}".repeat(5000)}`;
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x0a]);
  const long = Buffer.alloc(8 * 1024 * 1024, "x");
  return Buffer.concat([
    Buffer.from(`${messages.join("\n")}\n${deep}\n`),
    bytes,
    long,
    Buffer.from('\n{"no":"newline'),
  ]);
}

const hasEnded = ({ ended_at }: { readonly ended_at: number | null }) => ended_at !== null;

/** The thread of an agent that was not there when the screen subscribed to the list. */
async function recordedThread(screen: TestScreen, agentId: string): Promise<string> {
  const message = await screen.waitFor(
    (each) =>
      each.type === "tinyvex.update" && each.stream === "threads" && "row" in each && each.row.agent_id === agentId,
  );
  if (message.type !== "tinyvex.update" || message.stream !== "threads" || !("row" in message))
    throw new Error("no row");
  return message.row.id;
}

describe("signalbox proxy", () => {
  it("passes every byte, in both directions, and the agent's exit code", async () => {
    await using host = await sharedHost();
    const sent = oddBytes();
    writeFileSync(join(host.project, "out.bin"), sent);
    const agent = ["--name", "odd", "--", "sh", "-c", "cat out.bin; cat > in.bin; echo to stderr >&2; exit 7"];
    const args = [program, "proxy", "--data-dir", host.process.ready.data_dir, ...agent];
    const child = spawn(process.execPath, args, { cwd: host.project, stdio: "pipe" });
    const ended = once(child, "close");
    child.stdin.end(sent);
    const [received, printed] = await Promise.all([buffer(child.stdout), buffer(child.stderr)]);
    expect(await ended).toEqual([7, null]);
    expect(hash(received)).toBe(hash(sent));
    expect(hash(readFileSync(join(host.project, "in.bin")))).toBe(hash(sent));
    expect(printed.toString()).toBe("to stderr\n");
  });

  it("records the session, to be read on the page; questions stay with the editor; signals pass", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    await screen.request({ control: "tvx.subscribe", stream: "threads" });
    const words = ["proxy", "--data-dir", host.process.ready.data_dir, "--name", "robot", ...fake];
    using client = AcpTestClient.run(words, { cwd: host.project });
    await client.initialize();
    const sessionId = idIn(await client.ask("session/new", { cwd: host.project, mcpServers: [] }));
    const vendor = { send: { method: "_vendor/thing", params: { sessionId, deep: [0.5, { x: null }] } } };
    const asks = askPermission("t", { title: "Do it?" });
    const prompt = text(script({ say: "hello " }, toolCall("t"), asks, vendor, { say: "done" }));
    const running = client.ask("session/prompt", { sessionId, prompt });
    const asked = await client.waitFor(({ method }) => method === "session/request_permission");
    client.answer(asked.id, { outcome: { outcome: "selected", optionId: "yes" } });
    expect(await running).toEqual({ stopReason: "end_turn" });
    const thread_id = await recordedThread(screen, "proxy:robot");
    await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id });
    await screen.waitFor(
      (message) =>
        (message.type === "tinyvex.snapshot" && message.stream === "thread" && message.turns.some(hasEnded)) ||
        (message.type === "tinyvex.update" && message.stream === "turns" && "row" in message && hasEnded(message.row)),
    );
    const rows = async (name: "messages.list" | "permissions.list" | "events.list" | "threads.list") =>
      (await screen.request({ control: "tvx.query", name, args: { thread_id } })) as unknown as { rows: JsonObject[] };
    expect(JSON.stringify((await rows("messages.list")).rows)).toContain("done");
    expect((await rows("permissions.list")).rows).toMatchObject([
      { status: "allowed", option_id: "yes", decided_by: "editor" },
    ]);
    // What the agent sent is kept as it was sent.
    const sent = client.lines.find((line) => line.includes("_vendor/thing")) ?? "";
    const kept = (await rows("events.list")).rows.find(({ kind }) => kind === "_vendor/thing");
    expect(kept?.payload).toEqual((JSON.parse(sent) as { params: unknown }).params);
    const refused = await screen.request({ control: "run.submit", thread_id, prompt_id: "p", prompt: text("x") });
    expect(refused).toMatchObject({
      type: "tinyvex.error",
      code: "conflict",
      message: expect.stringContaining("robot"),
    });
    // Another editor reads the same, and gets ACP's error for a prompt.
    using reader = await AcpTestClient.connect(host.process.ready);
    await reader.initialize();
    await reader.ask("session/load", { sessionId: thread_id, cwd: host.project, mcpServers: [] });
    expect(reader.said(thread_id)).toBe(client.said(sessionId));
    const answer = await reader.request("session/prompt", { sessionId: thread_id, prompt: text("x") });
    expect(answer.error).toMatchObject({ code: -32600, message: expect.stringContaining("robot") });
    client.child.kill("SIGTERM");
    expect(await once(client.child, "exit")).toEqual([null, "SIGTERM"]);
  });

  it("goes on when nothing can be recorded, and says so", async () => {
    using folder = new TemporaryFolder();
    writeFileSync(folder.in("data"), "this is no folder");
    using client = AcpTestClient.run(["proxy", "--data-dir", folder.in("data"), ...fake], { cwd: folder.path });
    let printed = "";
    client.child.stderr.setEncoding("utf8").on("data", (part: string) => (printed += part));
    await client.initialize();
    const sessionId = idIn(await client.ask("session/new", { cwd: folder.path, mcpServers: [] }));
    await client.ask("session/prompt", { sessionId, prompt: text(script({ say: "still here" })) });
    expect(client.said(sessionId)).toBe("still here");
    client.child.stdin.end();
    expect(await once(client.child, "close")).toEqual([0, null]);
    expect(printed).toMatch(/^signalbox proxy: Not recorded: .* The conversation goes on\.\n$/);
    for (const [words, code] of [
      [["proxy", "--", "no-such-program-anywhere"], 127],
      [["proxy"], 64],
    ] as const) {
      const child = spawn(process.execPath, [program, ...words], { stdio: "ignore" });
      expect(await once(child, "exit")).toEqual([code, null]);
    }
  });
});
