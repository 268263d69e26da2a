// Which hosts and ports an entry of the list lets through.
import { describe, expect, it } from "vitest";
import { AllowList, allowEntryProblem, hostName } from "./allow-list.ts";

describe("an entry of the list", () => {
  it.each([
    ["example.com", "example.com", 443, true],
    ["example.com", "example.com", 80, true],
    ["example.com", "example.com", 8443, false],
    ["example.com", "www.example.com", 443, false],
    ["example.com", "notexample.com", 443, false],
    ["EXAMPLE.com", "example.com", 443, true],
    ["example.com:8443", "example.com", 8443, true],
    ["example.com:8443", "example.com", 443, false],
    ["*.example.com", "a.b.example.com", 443, true],
    ["*.example.com", "example.com", 443, false],
    ["*.example.com", "evilexample.com", 443, false],
    ["127.0.0.1:11434", "127.0.0.1", 11_434, true],
    ["127.0.0.1:11434", "127.0.0.1", 80, false],
    ["127.0.0.1:11434", "localhost", 11_434, false],
    ["10.0.0.0/8", "10.1.2.3", 443, true],
    ["10.0.0.0/8", "11.1.2.3", 443, false],
    ["[::1]:8080", "::1", 8080, true],
    ["[::1]:8080", "127.0.0.1", 8080, false],
  ])("%s lets %s:%i through: %s", (entry, host, port, isAllowed) => {
    expect(new AllowList([entry]).find(host, port) === undefined).toBe(!isAllowed);
  });

  it.each([
    "",
    "*",
    "*.com",
    "http://example.com",
    "example.com/path",
    "a b",
    "example.com:0",
    "example.com:99999",
    "1.2.3",
    "10.0.0.0/99",
    "-a.com",
  ])("%j cannot be read, which is said, and lets nothing through", (entry) => {
    expect(allowEntryProblem(entry)).toContain("expected a host");
    expect(new AllowList([entry]).exact()).toEqual([]);
  });

  it("gives exact names and ports of this machine a place inside", () => {
    expect(new AllowList(["a.com", "b.com:22", "*.c.com", "127.0.0.1:11434", "10.0.0.1:5432"]).exact()).toEqual([
      { host: "a.com", port: 80 },
      { host: "a.com", port: 443 },
      { host: "b.com", port: 22 },
      { host: "127.0.0.1", port: 11_434 },
    ]);
  });

  it.each([
    ["Example.COM.", "example.com"],
    ["[::1]", "::1"],
    ["a..b", undefined],
    ["exämple.com", undefined],
    ["a b", undefined],
    ["a.com\r\nx: y", undefined],
  ])("%j is the host %j", (text, host) => expect(hostName(text)).toBe(host));
});
