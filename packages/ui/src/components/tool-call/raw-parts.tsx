// Shows the input and output of a tool call as the agent sent them, behind the menu of its bar.
import type { Json, ToolCallRow } from "@signalbox/protocol";
import { Icon } from "../shared/icon.tsx";
import { LongText } from "../shared/long-text.tsx";
import { Menu, MenuItem } from "../shared/menu.tsx";

export type RawPart = "input" | "output";

const labels: Readonly<Record<RawPart, string>> = { input: "Input", output: "Raw output" };

export function RawMenu({ toolCall, onChoose }: { toolCall: ToolCallRow; onChoose: (part: RawPart) => void }) {
  const parts = (["input", "output"] as const).filter((part) => readRaw(toolCall, part) !== null);
  if (parts.length === 0) return null;
  return (
    <Menu label={`More about ${toolCall.title}`} icon={<Icon name="more" />}>
      {parts.map((part) => (
        <MenuItem key={part} name={labels[part]} onChoose={() => onChoose(part)} />
      ))}
    </Menu>
  );
}

interface RawTextProps {
  readonly toolCall: ToolCallRow;
  readonly part: RawPart;
  readonly onClose: () => void;
}

export function RawText({ toolCall, part, onClose }: RawTextProps) {
  return (
    <section className="raw" aria-label={labels[part]}>
      <p>
        {labels[part]}
        <button type="button" className="quiet" aria-label={`Close ${labels[part]}`} onClick={onClose}>
          <Icon name="close" />
        </button>
      </p>
      <LongText text={formatJson(readRaw(toolCall, part))} />
    </section>
  );
}

export function formatJson(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function readRaw({ raw_input, raw_output }: ToolCallRow, part: RawPart): Json {
  return part === "input" ? raw_input : raw_output;
}
