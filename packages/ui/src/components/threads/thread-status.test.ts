import { describe, expect, it } from "vitest";
import { statusLabel } from "./thread-status.tsx";

describe("the status of a thread", () => {
  it("is starting until the agent has created its session, and done only after that", () => {
    expect(statusLabel({ status: "idle", session_id: null })).toBe("starting");
    expect(statusLabel({ status: "idle", session_id: "s1" })).toBe("done");
    expect(statusLabel({ status: "failed", session_id: null })).toBe("failed");
  });
});
