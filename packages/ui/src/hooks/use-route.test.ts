import { describe, expect, it } from "vitest";
import { formatRoute, parseRoute, type Route } from "./use-route.ts";

describe("an address", () => {
  it("leads back to the same view", () => {
    const places: Route[] = [
      { page: "start" },
      { page: "new" },
      { page: "thread", threadId: "a/b ?#" },
      { page: "thread", threadId: "t", seq: 12, words: "two words & more" },
      { page: "thread", threadId: "t", beside: "a/b ?#", seq: 12 },
      { page: "events", threadId: "t" },
      { page: "search", words: "x" },
      { page: "search" },
      { page: "statistics" },
      { page: "tool-calls" },
      { page: "tool-calls", tool: "a & b", kind: "edit", status: "failed", agent: "x", folder: "/a b", days: 7 },
      { page: "settings" },
      { page: "settings", section: "Budget and limits" },
    ];
    expect(places.map((place) => parseRoute(formatRoute(place)))).toEqual(places);
  });

  it("that is not valid leads to the start page", () => {
    expect(["#/nowhere", "#/thread/%E0%A4%A", "", "#/thread/"].map(parseRoute)).toEqual(
      Array.from({ length: 4 }, () => ({ page: "start" })),
    );
  });
});
