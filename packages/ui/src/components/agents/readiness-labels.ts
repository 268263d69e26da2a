// The names of an agent's states, used everywhere on the page.
import type { AgentReadiness } from "@signalbox/protocol";

export const readinessLabels: Readonly<Record<AgentReadiness, string>> = {
  ready: "ready",
  needs_login: "needs setup",
  broken: "not working",
  not_installed: "not installed",
};
