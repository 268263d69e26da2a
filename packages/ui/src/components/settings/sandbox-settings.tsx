// The sandbox's state: who enforces it, or why nobody does.
import type { SetupRow } from "@signalbox/protocol";
import type { QueryState } from "../../hooks/use-query.ts";
import { Section } from "./section.tsx";

export function SandboxSettings({ setup }: { setup: QueryState<SetupRow> }) {
  const sandbox = setup.rows?.[0]?.sandbox;
  return (
    <Section
      title="Sandbox"
      lead="What commands of Signalbox's own agent may write and reach. Set it in config.json under sandbox."
      state={setup}
    >
      {sandbox !== undefined && (
        <ul className="rows">
          <li>
            <span className="lamp" data-status={sandbox.enforced ? "idle" : "failed"} />
            <b>{sandbox.enforced ? "enforced" : "not enforced"}</b>
            <small>
              mode {sandbox.mode}, network {sandbox.network ? "on" : "off"}
            </small>
            <p className="hint">{sandbox.reason ?? sandbox.by}</p>
          </li>
        </ul>
      )}
    </Section>
  );
}
