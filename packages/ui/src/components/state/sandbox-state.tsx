// What a command may touch, and who sees to it.

import { useQuery } from "../../hooks/use-query.ts";

export function SandboxState() {
  const setup = useQuery("setup.get", {}).rows?.[0];
  if (setup === undefined) return null;
  const { enforced, by, reason, mode, network } = setup.sandbox;
  return (
    <section>
      <h2>Sandbox</h2>
      <p className="pair">
        <span>enforced</span>
        <b data-signal={enforced ? "go" : "stop"}>{enforced ? "yes" : "no"}</b>
      </p>
      <p className="pair">
        <span>mode</span>
        <b>{mode}</b>
      </p>
      <p className="pair">
        <span>network</span>
        <b>{network ? "on" : "off"}</b>
      </p>
      <p className="hint">{reason ?? by}</p>
    </section>
  );
}
