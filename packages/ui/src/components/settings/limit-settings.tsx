// The Limits section: how much agents may spend and how long things may take.
import { BudgetBars } from "../shared/budget-bars.tsx";
import { SectionFields } from "./config-fields.tsx";
import { Section } from "./section.tsx";
import { useConfig } from "./use-config.ts";

export function LimitSettings() {
  const { file } = useConfig();
  return (
    <Section
      title="Budget and limits"
      lead={`For sessions that start from now on. An empty field is the default. Saved in ${file}.`}
    >
      <BudgetBars threadId={null} />
      <div className="config-fields">
        <SectionFields section="Budget and limits" />
      </div>
    </Section>
  );
}
