// How full the model's context is, and what the thread has cost so far, where the agent says so.
import { isJsonObject, type ThreadView } from "@signalbox/protocol";
import { count, money } from "../../text/sizes.ts";

export function ContextGauge({ view }: { view: ThreadView }) {
  const usage = view.state?.usage ?? null;
  const used = typeof usage?.used === "number" ? usage.used : null;
  const size = typeof usage?.size === "number" && usage.size > 0 ? usage.size : null;
  const cost = isJsonObject(usage?.cost) ? usage.cost : null;
  if (used === null && cost === null) return null;
  const part = used !== null && size !== null ? Math.min(1, used / size) : null;
  return (
    <section>
      <h2>Context</h2>
      {part !== null && (
        <div
          className="gauge"
          role="meter"
          aria-label="Context used"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(part * 100)}
          data-level={part > 0.9 ? "full" : part > 0.75 ? "high" : "fine"}
        >
          <i style={{ width: `${part * 100}%` }} />
        </div>
      )}
      <p className="pair">
        <span>
          {used !== null && (size === null ? `${count(used)} tokens` : `${count(used)} of ${count(size)} tokens`)}
        </span>
        <b>
          {typeof cost?.amount === "number" &&
            cost.amount > 0 &&
            money(cost.amount, typeof cost.currency === "string" ? cost.currency : "USD")}
        </b>
      </p>
    </section>
  );
}
