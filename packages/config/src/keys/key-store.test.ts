import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findKeyRing, type KeyRing } from "./key-ring.ts";
import { KeyStore } from "./key-store.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-keys-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const key = "sk-0123456789-abcd";
const file = () => join(folder, "keys.json");

/** As secret-tool behaves: one file for each account. */
function fakeSecretTool(text = ""): KeyRing | undefined {
  const program = join(folder, "secret-tool");
  const script = `#!/bin/sh
${text}
verb=$1; shift
case $1 in --label=*) shift ;; esac
name=$(printf %s "$4" | tr -c 'A-Za-z0-9' _)
case $verb in
  store) cat > "${folder}/ring-$name" ;;
  lookup) cat "${folder}/ring-$name" 2>/dev/null ;;
  clear) rm -f "${folder}/ring-$name" ;;
esac
`;
  writeFileSync(program, script);
  chmodSync(program, 0o755);
  return findKeyRing({ PATH: `${folder}:/usr/bin:/bin`, DBUS_SESSION_BUS_ADDRESS: "unix:path=/nowhere" }, "linux");
}
const ringFiles = () => readdirSync(folder).filter((name) => name.startsWith("ring-"));

describe("keys without a key ring", () => {
  it("are in a file that only the user can read, for one agent each", async () => {
    const store = new KeyStore(folder, undefined);
    writeFileSync(file(), '{"keys": []}', { mode: 0o644 });
    expect(await store.save("signalbox", "OPENAI_API_KEY", ` ${key}\n`)).toMatchObject({
      last_four: "abcd",
      place: "file",
    });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(store.readAgentKeys("signalbox")).toEqual({ OPENAI_API_KEY: key });
    expect(store.readAgentKeys("codex")).toEqual({});
    expect(JSON.stringify(store.list())).not.toContain(key);
    await store.save("signalbox", "OPENAI_API_KEY", "sk-another-0123-wxyz");
    expect(store.list()).toHaveLength(1);
    await store.remove("signalbox", "OPENAI_API_KEY");
    expect(readFileSync(file(), "utf8")).not.toContain("sk-");
    expect(readdirSync(folder)).toEqual(["keys.json"]);
  });

  it.each(["", "two words", "a\nb", "ключ", "x".repeat(5000)])(
    "are refused when they cannot be keys: %j",
    async (value) => {
      await expect(new KeyStore(folder, undefined).save("a", "B", value)).rejects.toThrow("A key is one word");
    },
  );

  it("show nothing of a short key, and say when the file is not theirs", async () => {
    const store = new KeyStore(folder, undefined);
    expect(await store.save("a", "B", "short")).toMatchObject({ last_four: "" });
    writeFileSync(file(), "[]");
    expect(() => store.list()).toThrow(`${file()} is not a file of keys.`);
  });
});

describe("keys in the key ring", () => {
  it("are in no file of ours, and known after they were loaded", async () => {
    const store = new KeyStore(folder, fakeSecretTool());
    expect(store.place).toBe("the system's key ring");
    expect(await store.save("codex", "OPENAI_API_KEY", key)).toMatchObject({ place: "key_ring" });
    expect(readFileSync(file(), "utf8")).not.toContain(key);
    const again = new KeyStore(folder, fakeSecretTool());
    expect(again.readAgentKeys("codex")).toEqual({});
    await again.load();
    expect(again.readAgentKeys("codex")).toEqual({ OPENAI_API_KEY: key });
    await again.remove("codex", "OPENAI_API_KEY");
    expect(ringFiles()).toEqual([]);
    expect(again.readAgentKeys("codex")).toEqual({});
  });

  it("go into the file where the key ring does not work", async () => {
    const store = new KeyStore(folder, fakeSecretTool("exit 1"));
    expect(await store.save("codex", "OPENAI_API_KEY", key)).toMatchObject({ place: "file" });
    expect(store.readAgentKeys("codex")).toEqual({ OPENAI_API_KEY: key });
  });

  it("are not looked for without a session bus", () => {
    expect(findKeyRing({ PATH: folder }, "linux")).toBeUndefined();
  });
});
