// The promises of every store, and those of the one that is a file.
import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FilePermissionStore } from "./file-store.ts";
import { MemoryPermissionStore, type PermissionStore } from "./store.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tool-calls-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});
const file = () => join(folder, "permissions");

const stores: Record<string, () => PermissionStore> = {
  MemoryPermissionStore: () => new MemoryPermissionStore(),
  FilePermissionStore: () => new FilePermissionStore(file()),
};

describe.each(Object.entries(stores))("%s", (_, make) => {
  it("remembers nothing at first", async () => {
    expect(await make().get("bash")).toBeUndefined();
  });

  it("remembers the last decision about each thing", async () => {
    const store = make();
    await store.set("bash", "allow");
    await store.set("read", "reject");
    await store.set("bash", "reject");
    expect(await store.get("bash")).toBe("reject");
    expect(await store.get("read")).toBe("reject");
    await store.set("bash", "allow");
    expect(await store.get("bash")).toBe("allow");
  });

  it.each(["npm test", '"quoted"', " spaced ", "# comment", "two\nlines", "", "ünï", "allow bash", "__proto__"])(
    "remembers about %o, whatever is in the name",
    async (about) => {
      const store = make();
      await store.set(about, "reject");
      await store.set("other", "allow");
      expect(await store.get(about)).toBe("reject");
      expect(await store.get("other")).toBe("allow");
    },
  );

  it("loses none of many decisions at the same time", async () => {
    const store = make();
    const names = Array.from({ length: 20 }, (__, i) => `tool_${i}`);
    await Promise.all(names.map(async (name) => store.set(name, "allow")));
    for (const name of names) expect(await store.get(name)).toBe("allow");
  });
});

describe("FilePermissionStore", () => {
  it("remembers beyond the process", async () => {
    await new FilePermissionStore(join(folder, "new", "folder", "permissions")).set("bash", "allow");
    expect(await new FilePermissionStore(join(folder, "new", "folder", "permissions")).get("bash")).toBe("allow");
  });

  it("is a file that a person can read", async () => {
    const store = new FilePermissionStore(file());
    await store.set("read_file", "allow");
    await store.set("bash", "reject");
    const lines = (await readFile(file(), "utf8")).split("\n");
    expect(lines[0]).toMatch(/^# /);
    expect(lines).toContain("allow read_file");
    expect(lines).toContain("reject bash");
  });

  it("counts an edit immediately, and keeps comments and what it does not understand", async () => {
    const store = new FilePermissionStore(file(), () => undefined);
    await writeFile(file(), "# mine\r\nallow bash\r\nperhaps read\r\n");
    expect(await store.get("bash")).toBe("allow");
    await writeFile(file(), "# mine\nreject bash\nperhaps read\n");
    expect(await store.get("bash")).toBe("reject");
    await store.set("bash", "allow");
    expect(await readFile(file(), "utf8")).toBe("# mine\nperhaps read\nallow bash\n");
  });

  it("reports damaged lines once, and ignores them", async () => {
    const log = vi.fn<(message: string) => void>();
    const store = new FilePermissionStore(file(), log);
    await writeFile(file(), 'allow bash\nallow\nallow "half\nallow 7 \nreject "x" y\n\u0000\u0001\n');
    expect(await store.get("bash")).toBe("allow");
    expect(await store.get("7")).toBe("allow");
    await store.get("bash");
    expect(log.mock.calls.map(([message]) => /permissions:(\d+) is ignored/.exec(message)?.[1])).toEqual([
      "2",
      "3",
      "5",
      "6",
    ]);
  });

  it("lets reject win when a person wrote both", async () => {
    await writeFile(file(), "reject bash\nallow bash\n");
    expect(await new FilePermissionStore(file()).get("bash")).toBe("reject");
  });

  it("replaces the file in one step, readable only by its owner, and leaves nothing beside it", async () => {
    const store = new FilePermissionStore(file());
    await store.set("a", "allow");
    const before = (await stat(file())).ino;
    await store.set("b", "allow");
    expect((await stat(file())).ino).not.toBe(before);
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["permissions"]);
  });

  it("keeps a link a link", async () => {
    await writeFile(join(folder, "real"), "allow a\n");
    await symlink(join(folder, "real"), file());
    await new FilePermissionStore(file()).set("b", "reject");
    expect(await readFile(join(folder, "real"), "utf8")).toBe("allow a\nreject b\n");
  });

  it("says so when it cannot write, and the next decision is written again", async () => {
    const store = new FilePermissionStore(folder);
    await expect(store.set("a", "allow")).rejects.toThrow();
    await expect(store.get("a")).rejects.toThrow();
    expect((await readdir(join(folder, ".."))).filter((name) => name.startsWith(`${folder}.`))).toEqual([]);
  });
});
