// A thread whose network goes by name: an agent inside reaches the hosts on the list, asks about another one, and every connection is in the register.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Step } from "../support/fake-agent/script.ts";
import { question, run, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

it("reaches what is named, asks about the rest, and is recorded", async () => {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(request.url ?? "");
    response.end("hello\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const network = { allow: [`127.0.0.1:${port}`] };
  const permissions = [{ deny: "host:denied.test" }, { allow: "kind:execute" }];
  await using host = await sharedHost({ config: { sandbox: { network }, permissions } });
  const screen = await host.screen();
  const created = await screen.ask("session.create", { agent_id: "fake", cwd: host.project, sandbox: true });
  expect(created.thread.sandbox).toMatchObject({
    network: "allow-list",
    detail: expect.stringContaining(`it reaches 127.0.0.1:${port}`) as unknown,
  });
  const threadId = created.thread_id;
  await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
  const curl = "curl -s --max-time 30";
  await run(screen, threadId, {
    shell: `${curl} http://127.0.0.1:${port}/named > named.txt; ${curl} http://denied.test/ > denied.txt`,
  });
  const read = (name: string) => readFileSync(join(host.project, name), "utf8");
  expect(read("named.txt")).toBe("hello\n");
  expect(read("denied.txt")).toContain("A rule denies denied.test: host:denied.test.");

  // Two at the same time are one question.
  const asks = `${curl} http://asked.test/a > a.txt & ${curl} http://asked.test/b > b.txt; wait`;
  const turnId = await submit(screen, threadId, { shell: asks });
  const asked = await question(screen, threadId);
  expect(asked).toMatchObject({ subject: { kind: "fetch", hosts: ["asked.test"] } });
  expect(asked.rule_if_remembered).toContain("host:asked.test");
  const { permission_id } = asked;
  await screen.request({ control: "permission.respond", thread_id: threadId, permission_id, option_id: "reject_once" });
  await turnEnd(screen, turnId);
  for (const name of ["a.txt", "b.txt"]) expect(read(name)).toContain("asked.test was refused: The user denied this.");

  const second = await submit(screen, threadId, { shell: `${curl} http://wanted.test/ > wanted.txt` });
  const wanted = await question(screen, threadId);
  const answer = { thread_id: threadId, permission_id: wanted.permission_id, option_id: "allow_once" };
  await screen.request({ control: "permission.respond", ...answer, remember: "thread" });
  await turnEnd(screen, second);
  // It was let through; this name has no address.
  expect(read("wanted.txt")).toContain("wanted.test could not be reached");

  // What a program shows as "403" has its reason in the result of the command, also where the line hides that it failed.
  const command = (line: string): Step => ({ ask: "terminal/create", params: { command: line }, quiet: true });
  await run(
    screen,
    threadId,
    command(`${curl} https://denied.test/ || exit 1`),
    command(`${curl} https://denied.test/; true`),
  );
  // A server that the agent itself started: it shares the loopback of its thread.
  const serve =
    'require("http").createServer((q, s) => s.end("the agent")).listen(0, "127.0.0.1", function () { require("fs").writeFileSync("port.txt", String(this.address().port)) })';
  await run(screen, threadId, {
    shell: `node -e '${serve}' > /dev/null 2>&1 & until [ -s port.txt ]; do sleep 0.05; done`,
  });
  await run(screen, threadId, command(`${curl} "http://127.0.0.1:$(cat port.txt)/"`));
  const terminals = () => viewOf(screen.received, threadId).terminals;
  await expect.poll(() => terminals().map(({ exit_code }) => exit_code)).toEqual([1, 0, 0]);
  const reason =
    "\n[While the command ran, a connection to denied.test:443 was not made: A rule denies denied.test: host:denied.test.]\n";
  await expect.poll(() => terminals().map(({ output }) => output)).toEqual([reason, reason, "the agent"]);

  // A connection is recorded when it is closed, which may be after the program that made it.
  const hosts = ["127.0.0.1", "asked.test", "denied.test", "wanted.test"];
  await expect.poll(async () => [...(await connections(screen, threadId)).keys()].toSorted()).toEqual(hosts);
  const recorded = await connections(screen, threadId);
  expect(recorded.get("127.0.0.1")).toMatchObject({ allowed_by: `127.0.0.1:${port}`, refused: null });
  expect(recorded.get("127.0.0.1")?.bytes_received).toBeGreaterThan(6);
  for (const name of hosts.slice(1)) expect(recorded.get(name)?.allowed_by).toBeNull();
  expect(heard).toEqual(["/named"]);
  server.close();
});

interface Recorded {
  readonly host: string;
  readonly allowed_by: string | null;
  readonly bytes_received: number;
}

async function connections(screen: TestScreen, threadId: string): Promise<ReadonlyMap<string, Recorded>> {
  const args = { thread_id: threadId, limit: 500 };
  const events = await screen.query("events.list", args);
  const rows = events.rows.filter(({ kind }) => kind === "signalbox/network_connection");
  return new Map(rows.map(({ payload }) => payload as unknown as Recorded).map((each) => [each.host, each]));
}
