import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { Access } from "./access.ts";

const devices = {
  find: (token: string) => (token === "phone-token" ? "phone" : null),
  addresses: ["https://box.example.ts.net"],
};
const access = new Access("secret-token", ["127.0.0.1:4280", "localhost:4280"], ["http://127.0.0.1:5173"], devices);
const request = (headers: IncomingHttpHeaders) => ({ headers }) as IncomingMessage;

describe("who may talk to the host", () => {
  it.each([
    ["a command without an origin", { host: "127.0.0.1:4280" }],
    ["our own page", { host: "localhost:4280", origin: "http://localhost:4280" }],
    ["a name in capitals", { host: "LOCALHOST:4280" }],
    [
      "a device under an address that the user named",
      { host: "box.example.ts.net", origin: "https://box.example.ts.net" },
    ],
    ["the development page", { host: "127.0.0.1:4280", origin: "http://127.0.0.1:5173" }],
  ])("lets %s through", (_, headers) => {
    expect(access.refuseForeign(request(headers))).toBeNull();
  });

  it.each([
    ["another site's page", { host: "127.0.0.1:4280", origin: "https://evil.example" }],
    ["a page on another port", { host: "127.0.0.1:4280", origin: "http://127.0.0.1:9999" }],
    ["a sandboxed frame", { host: "127.0.0.1:4280", origin: "null" }],
    ["a name that looks like the one that the user named", { host: "box.example.ts.net.evil.example" }],
    ["another scheme under that name", { host: "box.example.ts.net", origin: "http://box.example.ts.net" }],
    ["a rebound name", { host: "evil.example:4280" }],
    ["a missing host", {}],
    [
      "a page whose address begins like the one named by --page-origin",
      { host: "127.0.0.1:4280", origin: "http://127.0.0.1:5173.evil.example" },
    ],
    ["a page under that name without its port", { host: "127.0.0.1:4280", origin: "http://127.0.0.1" }],
    ["that page with another scheme", { host: "127.0.0.1:4280", origin: "https://127.0.0.1:5173" }],
    ["that page as a host name", { host: "127.0.0.1:5173" }],
    ["several origins", { host: "127.0.0.1:4280", origin: "http://127.0.0.1:5173, https://evil.example" }],
  ])("keeps %s out", (_, headers) => {
    expect(access.refuseForeign(request(headers))?.status).toBe(403);
  });

  it.each([
    ["a page that is served elsewhere", { origin: "http://127.0.0.1:5173" }, "http://127.0.0.1:5173"],
    ["our own page, which needs no such header", { origin: "http://localhost:4280" }, null],
    ["another site's page", { origin: "https://evil.example" }, null],
    ["a command", {}, null],
  ])("says who of other origins may read answers: %s", (_, headers, expected) => {
    expect(access.findExtraOrigin(request(headers))).toBe(expected);
  });

  it.each([
    ["as a bearer", { authorization: "Bearer secret-token" }],
    ["in the protocol list", { "sec-websocket-protocol": "signalbox.v1, signalbox.token.secret-token" }],
  ])("takes the token %s", (_, headers) => {
    expect(access.refuseStranger(request(headers))).toBeNull();
  });

  it.each([
    ["the first token", "secret-token", { type: "owner" }],
    ["a device's token", "phone-token", { type: "device", deviceId: "phone" }],
    ["neither", "phone-tokem", null],
    ["a token with more after it", "phone-token x", null],
    ["a token in other letters", "PHONE-TOKEN", null],
    ["a device's id", "phone", null],
    ["nothing", " ", null],
  ])("knows who calls by %s", (_, token, caller) => {
    expect(access.identifyCaller(request({ authorization: `Bearer ${token}` }))).toEqual(caller);
  });

  it.each([
    ["none", {}],
    ["a wrong one", { authorization: "Bearer secret-tokem" }],
    ["an empty one", { authorization: "Bearer ", "sec-websocket-protocol": "signalbox.token." }],
    ["part of it", { "sec-websocket-protocol": "signalbox.token.secret" }],
  ])("refuses %s", (_, headers) => {
    expect(access.refuseStranger(request(headers))?.status).toBe(401);
  });
});
