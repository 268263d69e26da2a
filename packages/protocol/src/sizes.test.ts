import { describe, expect, it } from "vitest";
import { bytes, count, money } from "./sizes.ts";

describe("sizes", () => {
  it("read at a glance", () => {
    expect([12, 4_200, 64_000, 1_500_000, 999_600_000].map(bytes)).toEqual([
      "12 B",
      "4.2 KB",
      "64 KB",
      "1.5 MB",
      "1.0 GB",
    ]);
    expect([7, 1_234, 76_200, 1_250_000].map(count)).toEqual(["7", "1,234", "76 k", "1.3 M"]);
    expect([0, 0.0004, 0.001, 0.412, 3].map((amount) => money(amount, "USD"))).toEqual([
      "$0.00",
      "under $0.001",
      "$0.001",
      "$0.412",
      "$3.00",
    ]);
    expect(money(2, "not a currency")).toBe("2.00 not a currency");
  });
});
