// Names the sandbox of a thread's commands in a few words.
import type { ThreadSandbox } from "@signalbox/protocol";

export function sandboxLabel({ by, network }: ThreadSandbox): string {
  switch (by) {
    case "signalbox":
      return `sandbox, ${networkLabels[network]}`;
    case "agent":
      return "the agent's own sandbox";
    case "none":
      return "no sandbox";
  }
}

const networkLabels = { off: "no network", on: "network on", "allow-list": "some network" } as const;
