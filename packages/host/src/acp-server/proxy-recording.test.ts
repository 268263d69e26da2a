// An agent behind `signalbox proxy` that means harm: what it sends costs the host little, and the rest is recorded.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRegister, type Register } from "@signalbox/tinyvex";
import { afterEach, beforeEach, expect, it } from "vitest";
import { encodeProxyFrame, type ProxyFrameKind } from "../data/proxy-frames.ts";
import { ProxyRecording } from "./proxy-recording.ts";

let folder = "";
let register: Register;
let recording: ProxyRecording;
const problems: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-recording-"));
  register = await openRegister({ path: join(folder, "signalbox.db") });
  problems.length = 0;
  recording = new ProxyRecording({
    register,
    agentId: "recorded",
    cwd: folder,
    onProblem: (problem) => problems.push(problem),
  });
});
afterEach(async () => {
  await recording.end();
  await register.close();
  rmSync(folder, { recursive: true, force: true });
});

const send = (kind: ProxyFrameKind, text: string) => recording.receive(encodeProxyFrame(kind, Buffer.from(text)));
const update = (sessionId: string, more: string) =>
  `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${sessionId}","update":${more}}}`;
const says = (text: string) => `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"${text}"}}`;
const threads = async () => (await register.query("threads.list", { limit: 1000 })).rows;

it("does not read a message with very many values: the thread says so, the log has it as a text, and the next one is there", async () => {
  await send("agent", update("s", says("before")));
  const line = update("s", `{"sessionUpdate":"plan","entries":[${"false,".repeat(60_000)}0]}`);
  await send("agent", line);
  await send(
    "client",
    `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[${"false,".repeat(60_000)}0]}}`,
  );
  await send("agent", update("s", says("word ".repeat(60_000))));
  const [thread] = await threads();
  await register.settled(thread?.id ?? "");
  const { rows } = await register.query("timeline.list", { thread_id: thread?.id ?? "" });
  const notices = rows.filter(({ kind }) => kind === "notice");
  expect(notices).toHaveLength(2);
  expect(JSON.stringify(notices)).toContain("The event log has it as a text.");
  expect(JSON.stringify(rows)).toContain("word word");
  expect(problems).toEqual([]);
});

it("stops recording an agent that opens sessions without end, or asks without end, and says why", async () => {
  for (let index = 0; index < 103; index++) await send("agent", update(`s${index}`, says("x")));
  expect(problems[0]).toBe("More than 100 sessions of one agent are not recorded.");
  expect(await threads()).toHaveLength(100);
  const other = new ProxyRecording({
    register,
    agentId: "other",
    cwd: folder,
    onProblem: (problem) => problems.push(problem),
  });
  problems.length = 0;
  for (let id = 0; id < 1005; id++)
    void other.receive(
      encodeProxyFrame("agent", Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"fs/read_text_file"}`)),
    );
  await other.end();
  expect(problems[0]).toContain("more than 1000 requests");
});
