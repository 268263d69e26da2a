// Tests what every engine of the register must do. SQLite is the first; another engine must pass the same suite.
import { describe } from "vitest";
import { keepingContract } from "./contract/keeping-contract.ts";
import type { Engine } from "./contract/looking.ts";
import { readingContract } from "./contract/reading-contract.ts";
import { subAgentsContract } from "./contract/sub-agents-contract.ts";
import { turnsContract } from "./contract/turns-contract.ts";
import { slow } from "./testing/temporary-register.ts";

export function registerContract(engine: string, open: Engine): void {
  describe(`${engine} keeps the register's contract`, slow, () => {
    keepingContract(open);
    turnsContract(open);
    readingContract(open);
    subAgentsContract(open);
  });
}
