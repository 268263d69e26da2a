// Names the sandbox of a thread's commands in a few words.
import type { ThreadSandbox } from "@signalbox/protocol";

export function sandboxLabel({ by, network }: ThreadSandbox): string {
  switch (by) {
    case "signalbox":
      return `Sandboxed · ${networkLabels[network]}`;
    case "agent":
      return "Own sandbox";
    case "none":
      return "Your rights";
  }
}

const networkLabels = { off: "no network", on: "network on", "allow-list": "some network" } as const;
