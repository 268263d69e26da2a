import type { ProgressMessage } from "@signalbox/protocol";
import type { RebuildProgress } from "@signalbox/tinyvex";
import { expect, it } from "vitest";
import { reportRebuild } from "./report-rebuild.ts";

it("reports each percent of a rebuild once, and its end", () => {
  const listeners: ((progress: RebuildProgress | null) => void)[] = [];
  const sent: ProgressMessage[] = [];
  reportRebuild(
    {
      onRebuild: (listener) => {
        listeners.push(listener);
        return () => {};
      },
    },
    (message) => sent.push(message),
  );
  for (const done of [1, 5, 9, 420, 421, 1000]) listeners[0]?.({ done, total: 1000 });
  listeners[0]?.(null);
  expect(sent.map(({ message, finished }) => [message, finished])).toEqual([
    ["Rebuilding the index: 0 %", false],
    ["Rebuilding the index: 42 %", false],
    ["Rebuilding the index: 100 %", false],
    ["Rebuilding the index: 100 %", true],
  ]);
  expect(sent[1]).toMatchObject({
    type: "host.progress",
    task: "rebuild",
    subject: "register",
    done: 420,
    total: 1000,
  });
});
