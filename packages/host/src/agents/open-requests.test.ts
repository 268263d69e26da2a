import { expect, it } from "vitest";
import { OpenRequests } from "./open-requests.ts";

const megabyte = 1024 * 1024;

it("counts requests until they are answered, also those with one id", () => {
  const open = new OpenRequests();
  for (let round = 0; round < 5000; round++) {
    open.add(round, 100);
    open.remove(round);
  }
  for (let count = 0; count < 1000; count++) open.add("same", 100);
  expect(() => open.add("same", 100)).toThrow("more than 1000 requests");
});

it("counts what the requests hold", () => {
  const open = new OpenRequests();
  for (let id = 0; id < 5; id++) open.add(id, 100 * megabyte);
  expect(() => open.add(5, 100 * megabyte)).toThrow("bytes");
  open.remove(1);
  open.remove(1);
  open.remove(2);
  open.add(6, 100 * megabyte);
});
