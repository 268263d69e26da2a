// Servers that commands of a thread start: reached by its next command, opened to the browser by a person, and by no one else.
import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { PortRow } from "@signalbox/protocol";
import { expect, it } from "vitest";
import type { Step } from "../support/fake-agent/script.ts";
import { run, submit, viewOf } from "../support/fake-host.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

const command = (line: string): Step => ({ ask: "terminal/create", params: { command: line }, quiet: true });
const serve = `node -e 'require("http").createServer((q, s) => s.end("hello " + q.url)).listen(0, "127.0.0.1")'`;

async function portsOf(screen: TestScreen, threadId: string): Promise<readonly PortRow[]> {
  return (await screen.query("ports.list", { thread_id: threadId })).rows;
}

/** Under any name: a browser asks under the one in the address. */
async function ask(url: URL, host: string, path = "/"): Promise<string> {
  return await new Promise((resolve) => {
    const outgoing = request(
      { host: "127.0.0.1", port: url.port, path, headers: { host }, agent: false },
      (incoming) => {
        resolve(text(incoming).then((body) => `${incoming.statusCode} ${body.trim()}`));
      },
    );
    outgoing.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? "error")).end();
  });
}

it("a server is for its thread; a person opens it to the browser under a name of its own, and closes it", async () => {
  await using host = await sharedHost({ config: { permissions: [{ allow: "all" }] } });
  const screen = await host.screen();
  const threadId = await host.thread(screen);
  await submit(screen, threadId, command(serve));
  await expect.poll(() => portsOf(screen, threadId)).toMatchObject([{ is_listening: true, url: null }]);
  const [{ port } = { port: 0 }] = await portsOf(screen, threadId);

  const curl = command(`curl -s --max-time 5 http://127.0.0.1:${port}/next || echo none`);
  await run(screen, threadId, curl);
  const printed = (id: string) => viewOf(screen.received, id).terminals.map(({ output }) => output);
  await expect.poll(() => printed(threadId)).toContain("hello /next");
  const stranger = await host.thread(screen);
  await run(screen, stranger, curl);
  await expect.poll(() => printed(stranger)).toEqual(["none\n"]);
  const change = (control: "port.open" | "port.close", thread_id = threadId) =>
    screen.request({ control, thread_id, port });
  expect(await change("port.open", stranger)).toMatchObject({ type: "tinyvex.error", code: "not_found" });

  expect(await change("port.open")).toMatchObject({ type: "tinyvex.ok" });
  expect(await change("port.open")).toMatchObject({ type: "tinyvex.ok" });
  const [opened] = await portsOf(screen, threadId);
  const url = new URL(opened?.url ?? "");
  expect(url.hostname).toMatch(/^s[0-9a-f]{32}\.localhost$/);
  expect(await ask(url, url.host, "/page")).toBe("200 hello /page");
  // What does not know the name gets nothing: another program, another site, a page that guesses.
  const refused = "403 Open this address from Signalbox's page.";
  for (const name of [
    `127.0.0.1:${url.port}`,
    `localhost:${url.port}`,
    `s${"0".repeat(32)}.localhost:${url.port}`,
    "",
  ]) {
    expect(await ask(url, name)).toBe(refused);
  }
  // And the site behind it is a stranger to Signalbox.
  const page = new URL(host.process.ready.url);
  const foreign = await fetch(page, { headers: { origin: url.origin } });
  expect([foreign.status, await foreign.text()]).toEqual([403, expect.stringContaining("Pages of other sites")]);

  expect(await change("port.close")).toMatchObject({ type: "tinyvex.ok" });
  expect(await ask(url, url.host)).toBe("ECONNREFUSED");
  expect(await portsOf(screen, threadId)).toMatchObject([{ port, url: null }]);
  await change("port.open");
  const [again] = await portsOf(screen, threadId);
  const second = new URL(again?.url ?? "");
  expect(second.hostname).not.toBe(url.hostname);
  const changes = async () => {
    const args = { thread_id: threadId, limit: 500 };
    const { rows: events } = await screen.query("events.list", args);
    return events
      .filter(({ kind }) => ["signalbox/port_changed", "signalbox/session_ended"].includes(kind))
      .toSorted((one, other) => one.seq - other.seq)
      .map(({ payload }) => payload);
  };
  const byOwner = [true, false, true].map((is_open) => ({ port, is_open, by: "owner" }));
  // The log is written a moment after the answer.
  await expect.poll(changes).toMatchObject(byOwner);
  // What is open when the session ends is closed with it, before that is said.
  await screen.request({ control: "session.close", thread_id: threadId });
  await expect
    .poll(changes)
    .toMatchObject([...byOwner, { port, is_open: false, by: "session_end" }, { type: "session_ended" }]);
  expect(await ask(second, second.host)).toBe("ECONNREFUSED");
  expect(await portsOf(screen, threadId)).toEqual([]);
});
