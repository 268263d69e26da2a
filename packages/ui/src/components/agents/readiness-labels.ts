// What the state of an agent is called, everywhere on the page.
import type { AgentReadiness } from "@signalbox/protocol";

export const readinessLabels: Readonly<Record<AgentReadiness, string>> = {
  ready: "ready",
  needs_login: "needs setup",
  broken: "not working",
  not_installed: "not installed",
};
