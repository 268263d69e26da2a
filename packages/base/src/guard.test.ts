import { expect, it } from "vitest";
import { guard } from "./guard.ts";

it("passes on what a handler throws, and what its promise rejects with", async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  guard(onError, () => {
    throw "thrown";
  })();
  guard(onError, async (what: string) => Promise.reject(what))("rejected");
  await expect.poll(() => errors).toEqual(["thrown", "rejected"]);
});
