import type { JsonObject } from "@signalbox/protocol";
import { expect, it, vi } from "vitest";
import { AcpTraffic } from "./acp-traffic.ts";

const frame = (message: JsonObject) => ({ jsonrpc: "2.0", ...message });

/** What the editor asks, and what the host answers. */
function exchange(traffic: AcpTraffic, id: number, method: string, params: JsonObject, result: JsonObject): void {
  const request = frame({ id, method, params });
  traffic.toHost(JSON.stringify(request), request);
  traffic.toClient(JSON.stringify(frame({ id, result })));
}

it("[R4] another host gets each open session as the editor opened it, and where the editor's copy ends", async () => {
  const traffic = new AcpTraffic();
  const server = { name: "s", command: "server", args: [], env: [] };
  exchange(traffic, 1, "initialize", { protocolVersion: 1 }, {});
  const made = { cwd: "/a", mcpServers: [server], _meta: { "x.example/option": 1 } };
  exchange(traffic, 2, "session/new", made, { sessionId: "t1" });
  const before = { "signalbox/afterSeq": 3, "signalbox/afterOffset": 9 };
  const loaded = { sessionId: "t2", cwd: "/b", mcpServers: [], _meta: before };
  exchange(traffic, 3, "session/load", loaded, { _meta: { "signalbox/seq": 5 } });
  exchange(traffic, 4, "session/new", { cwd: "/c" }, { sessionId: "t3" });
  exchange(traffic, 5, "session/close", { sessionId: "t3" }, {});
  const update = JSON.stringify(frame({ method: "session/update", params: { sessionId: "t1" } }));
  traffic.toClient(`${update}\n${JSON.stringify({ threadId: "t1", seq: 7, offset: 2 })}`);
  const sent: JsonObject[] = [];
  const answerFrom = (first: number) => {
    for (const { id } of sent.slice(first)) traffic.toClient(JSON.stringify(frame({ id, result: {} })));
  };
  const send = (line: string) => sent.push(JSON.parse(line) as JsonObject);
  await traffic.reattach(send);
  expect(sent).toEqual([]);
  traffic.lose();
  const attached = traffic.reattach(send);
  // Nothing else is sent before the answer: the host would refuse it.
  expect(sent).toHaveLength(1);
  answerFrom(0);
  await vi.waitFor(() => expect(sent).toHaveLength(3));
  answerFrom(1);
  await attached;
  expect(sent.map(({ method, params }) => [method, params])).toEqual([
    ["initialize", { protocolVersion: 1 }],
    [
      "session/resume",
      {
        sessionId: "t1",
        cwd: "/a",
        mcpServers: [server],
        _meta: { "x.example/option": 1, "signalbox/afterSeq": 7, "signalbox/afterOffset": 2 },
      },
    ],
    ["session/resume", { sessionId: "t2", cwd: "/b", mcpServers: [], _meta: { "signalbox/afterSeq": 5 } }],
  ]);
});
