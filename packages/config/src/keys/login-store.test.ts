import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { KeyRing } from "./key-ring.ts";
import { LoginStore } from "./login-store.ts";

const folder = mkdtempSync(join(tmpdir(), "signalbox-logins-"));
const logins = join(folder, "mcp-logins");
afterEach(() => rmSync(logins, { recursive: true, force: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = () => join(logins, readdirSync(logins)[0] ?? "");

function memoryRing(): KeyRing & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    name: "a key ring",
    kept,
    read: async (account) => kept.get(account),
    write: async (account, secret) => void kept.set(account, secret),
    remove: async (account) => void kept.delete(account),
  };
}

describe("the log-ins of MCP servers", () => {
  it("are in files that only the user can read, whatever was changed", async () => {
    const store = new LoginStore(folder, undefined);
    await store.write("https://a.example/mcp", "secret-token");
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
    expect(statSync(logins).mode & 0o777).toBe(0o700);
    chmodSync(fileOf(), 0o644);
    expect(await new LoginStore(folder, undefined).read("https://a.example/mcp")).toBe("secret-token");
    expect(statSync(fileOf()).mode & 0o777).toBe(0o600);
    expect(await store.read("https://a.example/other")).toBeUndefined();
    await store.remove("https://a.example/mcp");
    expect([store.has("https://a.example/mcp"), readdirSync(logins)]).toEqual([false, []]);
  });

  it("are in the key ring where there is one, and another session's renewal is seen", async () => {
    const ring = memoryRing();
    const [store, other] = [new LoginStore(folder, ring), new LoginStore(folder, ring)];
    await store.write("https://a.example/mcp", "first-token");
    expect(await other.read("https://a.example/mcp")).toBe("first-token");
    expect(readFileSync(fileOf(), "utf8")).not.toContain("first-token");
    await expect.poll(() => Date.now()).toBeGreaterThan(JSON.parse(readFileSync(fileOf(), "utf8")).saved_at);
    await store.write("https://a.example/mcp", "second-token");
    expect(await other.read("https://a.example/mcp")).toBe("second-token");
    await other.remove("https://a.example/mcp");
    expect([...ring.kept]).toEqual([]);
  });

  it("go into the file where the key ring is locked", async () => {
    const locked = { ...memoryRing(), write: async () => Promise.reject(new Error("locked")) };
    const store = new LoginStore(folder, locked);
    await store.write("https://a.example/mcp", "secret-token");
    expect(await store.read("https://a.example/mcp")).toBe("secret-token");
  });
});
