// Says in four lines how an agent and its commands are limited. What Signalbox does not enforce itself is "not known".
import type { ThreadSandbox } from "@signalbox/protocol";

type AccessLine = readonly [name: string, value: string];

const networks = { off: "nothing", on: "any host", "allow-list": "the hosts you allow" } as const;

export function describeAccess({ by, network }: Pick<ThreadSandbox, "by" | "network">): readonly AccessLine[] {
  switch (by) {
    case "signalbox":
      return [
        ["Sandbox", "Sandboxed"],
        ["Writes", "at most its folder and temporary files"],
        ["Reads", "all but secret places"],
        ["Reaches", networks[network]],
      ];
    case "agent":
      return [
        ["Sandbox", "Own sandbox"],
        ["Writes", "not known"],
        ["Reads", "not known"],
        ["Reaches", "not known"],
      ];
    case "none":
      return [
        ["Sandbox", "Your rights"],
        ["Writes", "what you can write"],
        ["Reads", "what you can read"],
        ["Reaches", "any host"],
      ];
  }
}
