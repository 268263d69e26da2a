// Keys outside, through the host: a credential of the user's config is on the requests for its host, and nowhere that an agent, a command or a reader of the log looks.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { SessionAuthority } from "../../packages/sandbox/src/network/certificates.ts";
import { FakeHost, run, viewOf } from "../support/fake-host.ts";
import { TemporaryFolder } from "../support/host-process.ts";

const secret = "hidden-from-commands-4711";

it("adds the credential to requests for its host, and tells its name only", { timeout: 60_000 }, async () => {
  const authority = new SessionAuthority(["localhost"]);
  const heard: string[] = [];
  const SNICallback = (
    _name: string,
    done: (error: null, context: ReturnType<SessionAuthority["getContext"]>) => void,
  ) => done(null, authority.getContext("localhost"));
  const web = createServer({ SNICallback }, (request, response) => {
    heard.push(request.headers["x-api-key"]?.toString() ?? "none");
    response.end("answered\n");
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  const { port } = web.address() as AddressInfo;
  using folder = new TemporaryFolder();
  writeFileSync(folder.in("authority.pem"), authority.certificate);
  await using host = await FakeHost.start({
    env: { NODE_EXTRA_CA_CERTS: folder.in("authority.pem"), SOME_TOKEN: secret },
    config: {
      permissions: [{ allow: "all" }],
      sandbox: {
        network: { allow: [`localhost:${port}`, `127.0.0.1:${port}`] },
        credentials: { web: { host: `localhost:${port}`, header: "X-Api-Key", env: "SOME_TOKEN" } },
      },
    },
  });
  const screen = await host.screen();
  const threadId = await host.thread(screen);
  // This machine's own name is not asked for through a proxy unless one says so.
  const line = `curl -s --noproxy '' --proxy "$HTTPS_PROXY" https://localhost:${port}/; env; cat /proc/*/environ | tr '\\0' '\\n'`;
  await run(screen, threadId, { ask: "terminal/create", params: { command: line }, quiet: true });
  const terminal = () => viewOf(screen.received, threadId).terminals[0];
  await expect.poll(() => terminal()?.exit_code).toBe(0);
  expect(terminal()?.output).toMatch(/^answered\n/);
  expect(terminal()?.output).not.toContain(secret);
  expect(terminal()?.output).not.toContain("SOME_TOKEN");
  expect(heard).toEqual([secret]);
  expect(viewOf(screen.received, threadId).thread.sandbox?.detail).toContain(
    `Requests to localhost:${port} get the credential web, which no command sees.`,
  );
  const events = async () => {
    const answer = await screen.request({ control: "tvx.query", name: "events.list", args: { thread_id: threadId } });
    return JSON.stringify(answer);
  };
  await expect.poll(events).toContain("with the credential web");
  expect(JSON.stringify(screen.received)).not.toContain(secret);
  const config = await screen.request({ control: "tvx.query", name: "config.get" });
  expect(JSON.stringify(config)).toContain("SOME_TOKEN");
  await host.process.stop();
  // Nothing in the data folder has it: register, logs, certificates.
  const data = host.folder.in("data");
  const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(1);
  const having = files.filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(secret));
  expect(having.map(({ name }) => name)).toEqual([]);
  web.closeAllConnections();
  web.close();
});
