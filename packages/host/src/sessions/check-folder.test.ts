import { expect, it } from "vitest";
import { checkFolder } from "./check-folder.ts";

it.each([
  ["", "bad_request"],
  ["relative", "bad_request"],
  ["/tmp\0/x", "bad_request"],
  ["/dev/null", "bad_request"],
  ["/tmp/there/is/no/such/folder", "not_found"],
])("the folder %j is refused: %s", (cwd, code) => {
  expect(() => checkFolder(cwd)).toThrow(expect.objectContaining({ code }));
});
