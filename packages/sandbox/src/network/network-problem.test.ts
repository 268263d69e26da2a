// Real errors of Node, in plain words.
import { once } from "node:events";
import { request } from "node:http";
import { expect, it } from "vitest";
import { networkProblem } from "./network-problem.ts";

it("of fetch and of node:http, where nothing listens", async () => {
  const url = "http://127.0.0.1:2/";
  const fetched = await fetch(url).catch((error: unknown) => error);
  const requested = await once(request(url).end(), "error").catch((error: unknown) => error);
  expect([fetched, [requested].flat()[0]].map(networkProblem)).toEqual([
    "nothing listens at 127.0.0.1:2",
    "nothing listens at 127.0.0.1:2",
  ]);
});

const notFound = Object.assign(new Error("getaddrinfo ENOTFOUND models.dev"), {
  code: "ENOTFOUND",
  hostname: "models.dev",
});

it.each([
  [
    new TypeError("fetch failed", { cause: notFound }),
    "the name models.dev was not found; this machine may be offline",
  ],
  [new DOMException("The operation was aborted due to timeout", "TimeoutError"), "it does not answer in time"],
  [
    Object.assign(new AggregateError([Object.assign(new Error("x"), { code: "ENETUNREACH" })], ""), {
      code: "ENETUNREACH",
    }),
    "this machine has no network",
  ],
  [
    new TypeError("fetch failed", {
      cause: Object.assign(new Error("certificate has expired"), { code: "CERT_HAS_EXPIRED" }),
    }),
    "its certificate has expired",
  ],
  [new Error("Unexpected token"), "Unexpected token"],
  ["odd", "odd"],
])("of %s", (error, words) => {
  expect(networkProblem(error)).toBe(words);
});
