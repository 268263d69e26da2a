import { describe, expect, it } from "vitest";
import { readStatus, statusLabel } from "./thread-status.tsx";

describe("the state of a thread", () => {
  const thread = { status: "idle", starting: false, stopped: false } as const;

  it("is starting while the host says so, and what the row says after that", () => {
    expect(statusLabel({ ...thread, starting: true })).toBe("starting");
    expect(statusLabel(thread)).toBe("done");
    expect(statusLabel({ ...thread, status: "failed" })).toBe("failed");
  });

  it("is stopped, and not done, after its last turn was stopped or its agent ended in a turn", () => {
    expect(statusLabel({ ...thread, stopped: true })).toBe("stopped");
    expect(readStatus({ ...thread, stopped: true })).toBe("stopped");
    expect(statusLabel({ ...thread, status: "interrupted" })).toBe("stopped");
  });

  it("is working again with the next turn", () => {
    expect(statusLabel({ ...thread, status: "running", stopped: true })).toBe("working");
  });
});
