import { text } from "node:stream/consumers";
import { expect, it, vi } from "vitest";
import { testFolder } from "./testing/try-tool.ts";

vi.setConfig({ testTimeout: 30_000 });

it("a server of one program is reached by the next one, with the network and without, and not by another session", async () => {
  await using folder = testFolder();
  await using stranger = testFolder();
  const start = (of: typeof folder, args: readonly string[], network: boolean) =>
    of.workspace.spawn({ command: process.execPath, args, cwd: of.cwd, env: {}, network });
  const serve = `require("http").createServer((q, s) => s.end("hello")).listen(0, "127.0.0.1", function () { console.log(this.address().port) })`;
  const server = await start(folder, ["-e", serve], false);
  const port = await new Promise<number>((resolve) => server.stdout.once("data", (data) => resolve(Number(data))));
  const ask = `fetch("http://127.0.0.1:${port}").then((a) => a.text()).catch(() => "none").then(console.log)`;
  const answer = async (of: typeof folder, network: boolean) =>
    (await text((await start(of, ["-e", ask], network)).stdout)).trim();
  expect([await answer(folder, false), await answer(folder, true)]).toEqual(["hello", "hello"]);
  expect([await answer(stranger, false), await answer(stranger, true)]).toEqual(["none", "none"]);
  server.kill();
  await server.ended;
});
