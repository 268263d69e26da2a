// Tokens of Google Cloud for requests that run side by side.
import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { TemporaryFolder } from "../../../../../test/support/host-process.ts";
import { GoogleToken } from "./google-token.ts";

it("is asked for once by parallel requests: the first, one that has ended, and one that could not be had", async () => {
  using folder = new TemporaryFolder();
  const file = folder.in("login.json");
  writeFileSync(file, JSON.stringify({ type: "authorized_user" }));
  let asked = 0;
  // The first ends so soon that the next request needs another one; the second answer has none.
  const send = async () => {
    asked++;
    return asked === 2
      ? Response.json({ error: "busy" }, { status: 503 })
      : Response.json({ access_token: `token-${asked}`, expires_in: asked === 1 ? 30 : 3600 });
  };
  const google = await GoogleToken.open("vertex", undefined, { GOOGLE_APPLICATION_CREDENTIALS: file }, send);
  const both = async () => {
    const ends = await Promise.allSettled([google.headers(), google.headers()]);
    return ends.map((end) => (end.status === "fulfilled" ? end.value.authorization : "none"));
  };
  expect(await both()).toEqual(["Bearer token-1", "Bearer token-1"]);
  expect(await both()).toEqual(["none", "none"]);
  expect(await both()).toEqual(["Bearer token-3", "Bearer token-3"]);
  expect(await both()).toEqual(["Bearer token-3", "Bearer token-3"]);
  expect(asked).toBe(3);
});
