// Which log-ins of an agent's private state go back to the real one.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { TemporaryFolder } from "../../../../test/support/host-process.ts";
import { returnLogIns } from "./return-log-ins.ts";

/** As providers write it. */
function makeToken(claims: object): string {
  return ["{}", JSON.stringify(claims), "signature"].map((part) => Buffer.from(part).toString("base64url")).join(".");
}

const real = {
  token: { access: "abc.def", refreshToken: "abc", expires_at: 1, scopes: ["a"], account_id: "me" },
  id_token: makeToken({ sub: "me", exp: 1, auth: { account_id: "mine" } }),
  resource_url: "portal.example",
  key: "sk-1",
  domain: "mine",
  isTrusted: false,
};
const row = {
  hosts: [],
  state: [{ place: { in: "home", path: ".a" } as const, data: [], obeyed: [], logIns: ["auth.json"] }],
};

function goesBack(
  refreshed: unknown,
  make = (path: string) => writeFileSync(path, JSON.stringify(refreshed)),
): boolean {
  using folder = new TemporaryFolder();
  for (const name of ["real", "upper"]) mkdirSync(folder.in(name));
  const file = folder.in("real/auth.json");
  writeFileSync(file, JSON.stringify(real));
  utimesSync(file, 1, 1);
  make(folder.in("upper/auth.json"));
  const standIn = { type: "overlay", lower: folder.in("real"), upper: folder.in("upper"), work: "" } as const;
  returnLogIns(row, { layers: [{ path: folder.in("real"), standIn }] });
  expect(readdirSync(folder.in("real"))).toEqual(["auth.json"]);
  return readFileSync(file, "utf8") !== JSON.stringify(real);
}

it("a refreshed token goes back", () => {
  const token = { ...real.token, access: "new.token", refreshToken: "new", expires_at: 2 };
  const id_token = makeToken({ exp: 2, auth: { account_id: "mine", plan: "new" }, sub: "me" });
  expect(goesBack({ ...real, token, id_token })).toBe(true);
});

it.each([
  ["a command in the place of a key", { ...real, key: "!touch /tmp/x" }],
  ["a variable in the place of a key", { ...real, key: "$(id)" }],
  ["another key, which no refresh gives", { ...real, key: "sk-2" }],
  ["the name of a variable in the place of a key", { ...real, key: "AWS_SECRET_ACCESS_KEY" }],
  ["another account", { ...real, token: { ...real.token, access: "new", account_id: "theirs" } }],
  ["a token of another person", { ...real, id_token: makeToken({ sub: "them", auth: { account_id: "mine" } }) }],
  ["a token of another account", { ...real, id_token: makeToken({ sub: "me", auth: { account_id: "theirs" } }) }],
  ["a token that names no account, where the old one did", { ...real, id_token: "abc" }],
  ["a setting", { ...real, isTrusted: true }],
  ["a text that ends like a field of a refresh", { ...real, domain: "evil" }],
  ["a command in the place of a token", { ...real, token: { ...real.token, access: "!touch /tmp/x" } }],
  ["a number in the place of a token", { ...real, token: { ...real.token, access: 1 } }],
  ["another address", { ...real, resource_url: "evil.example" }],
  ["a new field", { ...real, helper: "x" }],
  ["a missing field", { ...real, key: undefined, other: 1 }],
  ["another type", { ...real, key: { run: "x" } }],
  ["a longer list", { ...real, token: { ...real.token, scopes: ["a", "b"] } }],
  ["text with line ends", { ...real, key: "a\nb" }],
])("%s does not", (_, refreshed) => {
  expect(goesBack(refreshed)).toBe(false);
});

it("a first log-in goes back where the person has just logged in, and nowhere else", () => {
  using folder = new TemporaryFolder();
  mkdirSync(folder.in("upper"));
  const layers = [{ path: folder.in("real"), standIn: { type: "folder", folder: folder.in("upper") } as const }];
  writeFileSync(folder.in("upper/auth.json"), JSON.stringify({ key: "!touch /tmp/x" }));
  returnLogIns(row, { layers }, true);
  writeFileSync(folder.in("upper/auth.json"), JSON.stringify(real));
  returnLogIns(row, { layers });
  expect(readdirSync(folder.path)).toEqual(["upper"]);
  returnLogIns(row, { layers }, true);
  expect(JSON.parse(readFileSync(folder.in("real/auth.json"), "utf8"))).toEqual(real);
});

it("a link, a text that is no JSON, a huge and an older file do not", () => {
  expect(goesBack(null, (path) => symlinkSync("/etc/hostname", path))).toBe(false);
  expect(goesBack({ ...real, token: { ...real.token, access: "x".repeat(300_000) } })).toBe(false);
  expect(goesBack(null, (path) => writeFileSync(path, "{"))).toBe(false);
  const older = (path: string) => {
    writeFileSync(path, JSON.stringify({ ...real, token: { ...real.token, access: "older" } }));
    utimesSync(path, 0, 0);
  };
  expect(goesBack(null, older)).toBe(false);
});

it("a log-in in a folder that the agent made a link does not", () => {
  using folder = new TemporaryFolder();
  for (const name of ["real/agent", "upper", "elsewhere"]) mkdirSync(folder.in(name), { recursive: true });
  writeFileSync(folder.in("real/agent/auth.json"), '{"key":"mine"}');
  utimesSync(folder.in("real/agent/auth.json"), 1, 1);
  writeFileSync(folder.in("elsewhere/auth.json"), '{"key":"other"}');
  symlinkSync(folder.in("elsewhere"), folder.in("upper/agent"));
  const standIn = { type: "folder", folder: folder.in("upper") } as const;
  const [state] = row.state;
  const inFolder = { ...row, state: [{ ...state, logIns: ["agent/auth.json"] }] } as typeof row;
  returnLogIns(inFolder, { layers: [{ path: folder.in("real"), standIn }] });
  expect(readFileSync(folder.in("real/agent/auth.json"), "utf8")).toBe('{"key":"mine"}');
});
