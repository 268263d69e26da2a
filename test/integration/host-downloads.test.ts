// Big outputs live once, outside the rows, and are fetched by range; a thread is fetched as a file. Both only with the token.
import { describe, expect, it } from "vitest";
import { toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";
import { run, viewOf } from "../support/fake-host.ts";
import { sharedHost } from "../support/shared-host.ts";

describe("downloads", () => {
  it("give a big output whole and by range, and a thread as Markdown, JSON and HTML", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const big = Array.from({ length: 40_000 }, (_, index) => `line ${index}\n`).join("");
    await run(
      screen,
      threadId,
      toolCall("c1", { title: "Big <b>one</b>" }),
      toolCallUpdate("c1", {
        status: "completed",
        content: [{ type: "content", content: { type: "text", text: big } }],
      }),
    );
    const [call] = viewOf(screen.received, threadId).timeline.filter((item) => item.type === "tool_call");
    const shown = JSON.stringify(call);
    expect(shown.length).toBeLessThan(20_000);
    const hash = /"signalbox\/blob":\{"hash":"(\w+)"/.exec(shown)?.[1] ?? "none";

    const { port, token } = host.process.ready;
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });
    expect(await (await get(`/blobs/${hash}`)).text()).toBe(big);
    const part = await get(`/blobs/${hash}`, { range: "bytes=5-11" });
    expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
      206,
      `bytes 5-11/${big.length}`,
      big.slice(5, 12),
    ]);
    expect(await (await get(`/blobs/${hash}`, { range: "bytes=-6" })).text()).toBe(big.slice(-6));
    expect((await get(`/blobs/${hash}`, { range: `bytes=${big.length}-` })).status).toBe(416);
    expect((await get("/blobs/0000")).status).toBe(404);

    expect(await (await get(`/export/${threadId}?format=md`)).text()).toContain("line 39999");
    expect(await (await get(`/export/${threadId}?format=json`)).json()).toMatchObject({ thread: { id: threadId } });
    expect(await (await get(`/export/${threadId}?format=html`)).text()).not.toContain("<b>one</b>");
    expect((await get(`/export/${threadId}?format=docx`)).status).toBe(400);
    for (const path of [`/blobs/${hash}`, `/export/${threadId}`]) {
      expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(401);
    }
  });
});
