import { describe, expect, it } from "vitest";
import { parseAddress } from "./address.ts";

const secret = "pass/word";
const withSecret = (rest: string) => `postgres://me:${encodeURIComponent(secret)}@${rest}`;

describe("the address of a shared database", () => {
  it.each([
    ["127.0.0.1:5433/db", false],
    ["localhost/db", false],
    ["[::1]/db", false],
    ["localhost/db?sslmode=require", true],
    ["db.example.com/db", true],
    ["db.example.com/db?sslmode=verify-full", true],
    ["10.0.0.7/db", true],
    ["localhost/db?host=db.example.com", true],
    ["127.0.0.1.example.com/db", true],
  ])("of %s has TLS: %s", (rest, tls) => {
    const address = parseAddress(withSecret(rest));
    expect(address.tls !== false).toBe(tls);
    if (address.tls !== false) expect(address.tls.rejectUnauthorized).toBe(true);
    expect(address.password).toBe(secret);
    expect(address.shown).not.toContain("word");
  });

  it("may be a socket of this machine", () => {
    const address = parseAddress("postgres://me@/db?host=/run/postgresql");
    expect(address).toMatchObject({ host: "/run/postgresql", tls: false, shown: "/run/postgresql/db" });
  });

  it.each([
    ["db.example.com/db?sslmode=disable", /sslmode=disable does not protect/],
    ["db.example.com/db?sslmode=prefer", /does not protect/],
    ["db.example.com/db?sslmode=no-verify", /sslrootcert/],
    ["db.example.com/db?application_name=x&sslmode=disable", /does not protect/],
    ["db.example.com", /needs a user, a host and a database/],
  ])("is refused where it is %s", (rest, reason) => {
    expect(() => parseAddress(withSecret(rest))).toThrow(reason);
    expect(() => parseAddress(withSecret(rest))).not.toThrow(/word/);
  });

  it("is refused where it is of another kind of database", () => {
    expect(() => parseAddress("mysql://me:x@localhost/db")).toThrow(/shared.url needs/);
  });
});
