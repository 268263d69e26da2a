// Shown before the first thread: installed agents, keys and Ollama, and a demo that needs none of them.
import type { AgentRow, SetupRow } from "@signalbox/protocol";
import { addressOf } from "../../hooks/use-route.ts";

interface WelcomeProps {
  readonly agents: readonly AgentRow[] | null;
  readonly setup: SetupRow | null;
  readonly onDemo: () => void;
}

/** A script for the demo agent: real tool calls that ask for permission. It removes the file that it writes. */
export const demoScript = `list
write signalbox-demo.txt: Hello from the demo.
edit signalbox-demo.txt: Hello -> Good day
run cat signalbox-demo.txt && rm signalbox-demo.txt`;

export function Welcome({ agents, setup, onDemo }: WelcomeProps) {
  if (agents === null) return null;
  const ready = agents.filter((agent) => agent.readiness === "ready");
  const missing = agents.filter((agent) => agent.readiness === "not_installed");
  const broken = agents.filter((agent) => agent.readiness !== "ready" && agent.readiness !== "not_installed");
  const keys = setup?.providers.filter((provider) => provider.key_present) ?? [];
  return (
    <section className="greeting" aria-label="Installed agents">
      <h2>Installed agents</h2>
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
            <b>Ollama</b> <span>running, {setup.ollama.models.length} models</span>
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
          <a href={addressOf({ page: "settings" })}>How to install</a>
        </p>
      )}
      <p>
        The demo needs no key and no network. It writes a file, edits it and deletes it, and asks you before each step.{" "}
        <button type="button" className="link" onClick={onDemo}>
          Try the demo
        </button>
      </p>
    </section>
  );
}
