// A browser gets the owner's token for a code, once.
import { expect, it } from "vitest";
import { OneTimeCodes, openingPage, pairing } from "../devices/one-time-codes.ts";
import { createDeviceRoutes } from "./device-routes.ts";
import type { HostServices } from "./host-services.ts";

it("gives the token for a code of the page once, and never for a code to pair by", async () => {
  const services = {
    pairing: new OneTimeCodes(pairing),
    pageCodes: new OneTimeCodes(openingPage),
    folder: { token: "the-token" },
  };
  const routes = createDeviceRoutes(services as unknown as HostServices, () => null);
  const open = async (body: object) => {
    const answer = await routes.request("/open", { method: "POST", body: JSON.stringify(body) });
    return [answer.status, await answer.text()] as const;
  };
  const { code } = services.pageCodes.start();
  expect(await open({ code: services.pairing.start().code })).toEqual([401, expect.stringContaining("wrong")]);
  expect(await open({ code })).toEqual([200, '{"token":"the-token"}']);
  expect(await open({ code })).toEqual([401, expect.not.stringContaining("the-token")]);
  expect((await open({})).at(0)).toBe(400);
});
