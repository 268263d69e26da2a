import { expect, it } from "vitest";
import { OneTimeCodes, openingPage, pairing as pairingPurpose } from "./one-time-codes.ts";

function pairingAt(start = 0) {
  const clock = { now: start };
  return { clock, pairing: new OneTimeCodes(pairingPurpose, () => clock.now) };
}

it("accepts a code once", () => {
  const { pairing } = pairingAt();
  const { code } = pairing.start();
  pairing.redeem(code);
  expect(() => pairing.redeem(code)).toThrow("was used");
});

it("refuses a code when its time is over, and one that a newer code has replaced", () => {
  const { clock, pairing } = pairingAt();
  const late = pairing.start();
  clock.now = pairingPurpose.lifeMs;
  expect(() => pairing.redeem(late.code)).toThrow("too old");
  const first = pairing.start();
  pairing.start();
  expect(() => pairing.redeem(first.code)).toThrow("wrong");
});

it("accepts nothing for a minute after five wrong codes, and not the code that was guessed at", () => {
  const { clock, pairing } = pairingAt();
  const { code } = pairing.start();
  for (let tries = 0; tries < 5; tries++) expect(() => pairing.redeem("guess")).toThrow("wrong");
  expect(() => pairing.redeem(code)).toThrow("Too many");
  clock.now = 60_000;
  expect(() => pairing.redeem(code)).toThrow("wrong");
  pairing.redeem(pairing.start().code);
});

it("accepts a code for the page for a minute", () => {
  const clock = { now: 0 };
  const codes = new OneTimeCodes(openingPage, () => clock.now);
  const { code } = codes.start();
  clock.now = 60_000;
  expect(() => codes.redeem(code)).toThrow("Open the address that Signalbox printed");
});
