import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonCopy } from "./json-copy.ts";

describe("jsonCopy", () => {
  it("is what JSON would carry, for anything that JSON can carry", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(jsonCopy(value))).toBe(JSON.stringify(value));
      }),
    );
  });

  it("can always be serialised, whatever it is made from", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withTypedArray: true, withMap: true }), (value) => {
        expect(() => JSON.stringify(jsonCopy(value))).not.toThrow();
      }),
    );
  });

  it("marks what cannot be sent", () => {
    const cyclic: Record<string, unknown> = { a: 1 };
    cyclic.self = cyclic;
    expect(jsonCopy(cyclic)).toEqual({ a: 1, self: "[circular]" });
    expect(jsonCopy({ n: 1n, f: () => 1, s: Symbol("s"), bytes: new Uint8Array(3) })).toEqual({
      n: "1",
      bytes: "[3 bytes]",
    });
    const hostile = {
      get bad(): never {
        throw new Error("no");
      },
    };
    expect(jsonCopy({ ok: 1, hostile })).toEqual({ ok: 1, hostile: "[unreadable]" });
  });

  it("keeps the same object in two places, which is no circle", () => {
    const shared = { x: 1 };
    expect(jsonCopy([shared, shared])).toEqual([{ x: 1 }, { x: 1 }]);
  });

  it("does not follow later changes", () => {
    const args = { path: "a" };
    const copy = jsonCopy(args);
    args.path = "b";
    expect(copy).toEqual({ path: "a" });
  });

  it("carries a key named __proto__ as data", () => {
    const copy = jsonCopy(JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it("keeps text within its bound, and the other fields beside a long one", () => {
    const copy = jsonCopy({ content: "x".repeat(10_000), path: "/a", more: ["y".repeat(10_000)] }, 1000);
    expect(copy).toEqual({
      content: expect.stringMatching(/^x{400,500}\[truncated\]$/),
      path: "/a",
      more: [expect.stringMatching(/^y+\[truncated\]$/)],
    });
    expect(JSON.stringify(copy).length).toBeLessThan(1100);
  });

  it("stays within its bound for very many strings, and for long keys", () => {
    const lines = Array.from({ length: 100_000 }, (_, i) => `line ${i}`);
    expect(JSON.stringify(jsonCopy({ lines }, 1000)).length).toBeLessThan(2000);
    const keys = Object.fromEntries(lines.map((line) => [line.repeat(10), 1]));
    expect(JSON.stringify(jsonCopy(keys, 1000)).length).toBeLessThan(2000);
    expect(jsonCopy({ ["k".repeat(10_000)]: 1, path: "/a" }, 1000)).toEqual({ path: "/a" });
  });

  it("ends for values that share themselves into exponential size, and for very deep ones", () => {
    let wide: unknown = 1;
    for (let i = 0; i < 60; i++) wide = [wide, wide];
    expect(JSON.stringify(jsonCopy(wide))).toContain("[truncated]");
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = { deep };
    expect(JSON.stringify(jsonCopy(deep))).toContain("[too deep]");
  });
});
