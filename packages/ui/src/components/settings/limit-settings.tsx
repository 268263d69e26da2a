// The Limits section: how much Signalbox's own agent may spend and how long things may take.
import { BudgetBars } from "../shared/budget-bars.tsx";
import { NumberField } from "./config-fields.tsx";
import { Section } from "./section.tsx";
import { useConfig } from "./use-config.ts";

export function LimitSettings() {
  const { file } = useConfig();
  return (
    <Section
      title="Budget and limits"
      lead={`For Signalbox's own agent, in sessions that start from now on. The budget of a day and the idle and start times are for every agent. When the budget of a day is spent, no further prompt is taken until midnight. Only costs that agents report are counted. In ${file} under limits, day_budget_usd, agent_idle_s and agent_start_s. An empty field is the default.`}
    >
      <div className="config-fields">
        <NumberField label="Budget of a session" path={["limits", "budget_usd"]} unit="US$" usual="none" />
        <NumberField label="Budget of a day, all agents" path={["day_budget_usd"]} unit="US$" usual="none" />
        <BudgetBars threadId={null} />
        <NumberField label="Requests to the model in a turn" path={["limits", "max_turns"]} unit="" usual="500" />
        <NumberField label="A tool call may take" path={["limits", "tool_timeout_s"]} unit="s" usual="120" />
        <NumberField label="An answer may pause for" path={["limits", "stall_timeout_s"]} unit="s" usual="120" />
        <NumberField label="An idle agent is stopped after" path={["agent_idle_s"]} unit="s" usual="1800" />
        <NumberField
          label="An agent that prints nothing while it starts is stopped after"
          path={["agent_start_s"]}
          unit="s"
          usual="60"
        />
      </div>
    </Section>
  );
}
