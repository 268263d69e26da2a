import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { DeviceStore } from "./device-store.ts";

const parent = mkdtempSync(join(tmpdir(), "signalbox-devices-"));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(parent, "data-"));
});
afterAll(() => rmSync(parent, { recursive: true }));

const push = { endpoint: "https://push.example/1", p256dh: "k", auth: "a" };

it("knows a device by its token after a restart, and stores only a hash of it, for the owner alone", () => {
  const { device, token } = new DeviceStore(folder).add("Phone");
  const store = new DeviceStore(folder);
  expect(store.find(token)).toBe(device.id);
  expect(store.find(`${token}x`)).toBeNull();
  const file = join(folder, "devices.json");
  expect(readFileSync(file, "utf8")).not.toContain(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(store.list()).toMatchObject([{ name: "Phone", last_seen_at: expect.any(Number) }]);
});

it("knows a device also where its visit cannot be written", () => {
  const store = new DeviceStore(folder);
  const { device, token } = store.add("Phone");
  rmSync(folder, { recursive: true });
  expect(store.find(token)).toBe(device.id);
});

it("forgets a removed device and tells those who hold its connections", () => {
  const store = new DeviceStore(folder);
  const { device, token } = store.add("Phone");
  store.setPush(device.id, push);
  const removed: string[] = [];
  store.onRemoved((id) => removed.push(id));
  store.remove(device.id);
  expect(removed).toEqual([device.id]);
  expect(new DeviceStore(folder).find(token)).toBeNull();
  expect(() => store.remove(device.id)).toThrow("no such device");
  expect(() => store.setPush(device.id, push)).toThrow("no such device");
});

it.each(["{", '{"devices":[{"id":"x"}]}'])("counts a damaged file as no devices and keeps it: %s", (text) => {
  writeFileSync(join(folder, "devices.json"), text);
  const problems: string[] = [];
  expect(new DeviceStore(folder, (problem) => problems.push(problem)).list()).toEqual([]);
  expect(problems.join()).toContain("devices.json.damaged");
  expect(readFileSync(join(folder, "devices.json.damaged"), "utf8")).toBe(text);
});

it("takes no stored hash, no id, no token in other letters or with more after it, and no address that is none", () => {
  const store = new DeviceStore(folder);
  const { token } = store.add("Phone");
  const file = join(folder, "devices.json");
  const stored = JSON.parse(readFileSync(file, "utf8")) as { devices: { id: string; token_hash: string }[] };
  for (const { id, token_hash } of stored.devices)
    for (const guess of [token_hash, id, token.toUpperCase(), `${token}\n`, ""]) expect(store.find(guess)).toBeNull();
  // Each request is compared with these: one that cannot be read would end them all.
  writeFileSync(file, JSON.stringify({ ...stored, addresses: ["no address"] }));
  const problems: string[] = [];
  expect(new DeviceStore(folder, (problem) => problems.push(problem)).addresses).toEqual([]);
  expect(problems).toEqual([expect.stringContaining("devices.json.damaged")]);
});
