// What was found on this machine: agents, keys, Ollama; and with nothing at all a tour that needs none of them.
import type { AgentRow, SetupRow } from "@signalbox/protocol";
import { addressOf } from "../../hooks/use-route.ts";

interface Found {
  readonly agents: readonly AgentRow[] | null;
  readonly setup: SetupRow | null;
  readonly onTour: (prompt: string) => void;
}

/** A script for the demo: a plan, a look, a change and a command, each a real tool call that asks first. It leaves nothing behind. */
export const tour = `plan: look around; write a note; change it; show it and remove it
list
write signalbox-tour.txt: Hello from the demo.
edit signalbox-tour.txt: Hello -> Good day
run cat signalbox-tour.txt && rm signalbox-tour.txt`;

export function Greeting({ agents, setup, onTour }: Found) {
  if (agents === null) return null;
  const ready = agents.filter((agent) => agent.readiness === "ready");
  const missing = agents.filter((agent) => agent.readiness === "not_installed");
  const broken = agents.filter((agent) => agent.readiness !== "ready" && agent.readiness !== "not_installed");
  const keys = setup?.providers.filter((provider) => provider.key_present) ?? [];
  return (
    <section className="greeting" aria-label="Found on this machine">
      <h2>Found on this machine</h2>
      <ul>
        {ready.map((agent) => (
          <li key={agent.id} data-found="yes">
            <b>{agent.label}</b> {agent.version ?? ""} <span>ready</span>
          </li>
        ))}
        {keys.map((provider) => (
          <li key={provider.name} data-found="yes">
            <b>{provider.label}</b> <span>key in {provider.variable}</span>
          </li>
        ))}
        {setup?.ollama.running === true && (
          <li data-found="yes">
            <b>Ollama</b> <span>runs, {setup.ollama.models.length} models</span>
          </li>
        )}
      </ul>
      {broken.map((agent) => (
        <p key={agent.id}>
          <b>{agent.label}</b>: {agent.reason}
        </p>
      ))}
      {missing.length > 0 && (
        <p>
          Not installed: {missing.map((agent) => agent.label).join(", ")}.{" "}
          <a href={addressOf({ page: "settings" })}>How to install them</a>
        </p>
      )}
      <p>
        Just looking? The demo needs no key and no network: it writes a note, changes it and removes it, and asks you
        before each step.{" "}
        <button type="button" className="link" onClick={() => onTour(tour)}>
          Fill in the tour
        </button>
      </p>
    </section>
  );
}
