import { describe, expect, it } from "vitest";
import { statusLabel } from "./thread-status.tsx";

describe("the status of a thread", () => {
  it("is starting while the host says so, and what the row says after that", () => {
    expect(statusLabel({ status: "idle", starting: true })).toBe("starting");
    expect(statusLabel({ status: "idle", starting: false })).toBe("done");
    expect(statusLabel({ status: "interrupted", starting: false })).toBe("interrupted");
  });
});
