import { expect, it } from "vitest";
import { describeStatus } from "./git-facts.ts";

it.each([
  ["# branch.oid abc\n# branch.head main\n", "branch main, nothing changed"],
  [
    "# branch.head fix\n1 .M N... 100644 100644 100644 a b x.ts\n2 R. N... 1 1 1 a b R100 y\tz\nu UU N... 1 1 1 1 a b c q\n? new.ts\n",
    "branch fix, 3 files changed, 1 file not in git yet",
  ],
  ["# branch.head (detached)\n", "no branch, nothing changed"],
])("git's status %j", (output, described) => {
  expect(describeStatus(output)).toBe(`Git, when the session began: ${described}`);
});
