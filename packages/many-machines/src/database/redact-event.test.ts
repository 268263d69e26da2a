import { expect, it } from "vitest";
import { redactEvent } from "./redact-event.ts";

const redact = (text: string, field?: string) => (field === "api_key" ? "***" : text.replaceAll("hunter2", "***"));
const event = (payload: object, refs: readonly string[] = []) => ({
  seq: 1,
  ts: 1,
  kind: "x",
  payload: JSON.stringify(payload),
  refs,
  blobs: refs.map(() => ({ hash: "h", size: 7, bytes: Buffer.from("hunter2") })),
});

it("takes secrets out of values, of names of fields, of fields that are named like one, and of long texts", async () => {
  const whole = event({ a: ["hunter2", { api_key: "anything", list: { api_key: ["x"] } }], hunter2: 1 });
  const { payload } = await redactEvent(whole, redact, () => Promise.reject(new Error("no blobs")));
  expect(JSON.parse(payload)).toEqual({ a: ["***", { api_key: "***", list: { api_key: ["***"] } }], "***": 1 });
  const long = event({ text: { $blob: "h", size: 7 } }, ["/text"]);
  const redacted = await redactEvent(long, redact, () => Promise.reject(new Error("they are there")));
  expect(Buffer.from(redacted.blobs[0]?.bytes ?? []).toString()).toBe("***");
  expect(JSON.parse(redacted.payload)).toEqual({ text: { $blob: redacted.blobs[0]?.hash, size: 3 } });
});
