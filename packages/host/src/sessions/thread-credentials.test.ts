import type { KeyStore } from "@signalbox/config/keys";
import { expect, it } from "vitest";
import { readCredentials } from "./thread-credentials.ts";

const keys = {
  load: async () => {},
  readAgentKeys: (agent: string) => (agent === "codex" ? { OPENAI_API_KEY: "from-the-store" } : {}),
} as unknown as KeyStore;
const reference = { name: "one", host: "api.example.com", header: "authorization", prefix: "Bearer ", env: "TOKEN" };

it("takes the value from the host's environment or from the kept keys, and says which is missing, without any value", async () => {
  const fromStore = { ...reference, env: undefined, key: { agent: "codex", variable: "OPENAI_API_KEY" } };
  const other = { ...reference, name: "two", host: "API.example.org:8443", header: "x-api-key", prefix: "" };
  const missing = { ...reference, name: "three", env: "NONE" };
  const read = await readCredentials([reference, { ...fromStore, name: "kept" }, other, missing], keys, {
    TOKEN: "abc\n",
  });
  expect(read.credentials.map(({ name, host, port, header, value }) => [name, host, port, header, value])).toEqual([
    ["one", "api.example.com", 443, "authorization", "Bearer abc"],
    ["kept", "api.example.com", 443, "authorization", "Bearer from-the-store"],
    ["two", "api.example.org", 8443, "x-api-key", "abc"],
  ]);
  expect(read.described.at(-1)).toBe("Requests to api.example.com get no credential: NONE is not set.");
  expect(read.described.join()).not.toContain("abc");
});

it.each([
  [{ host: "*.example.com" }, "one name"],
  [{ host: "10.0.0.1" }, "one name"],
  [{ host: "a.com/path" }, "one name"],
  [{ header: "host" }, "the header host belongs to the connection"],
  [{ env: "LINES" }, "characters that a header cannot have"],
])("refuses %j, and never says the value", async (wrong, why) => {
  const reading = readCredentials([{ ...reference, ...wrong }], keys, { TOKEN: "abc", LINES: "abc\r\nx-more: 1" });
  const error = await reading.catch(({ message }: Error) => message);
  expect(error).toContain(why);
  expect(error).not.toContain("abc");
});
