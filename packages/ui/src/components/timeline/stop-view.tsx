// One stop of the line, whatever it is.
import type { Stop } from "../../hooks/use-timeline.ts";
import { ToolCallItem } from "../tool-call/tool-call-item.tsx";
import { ElicitationStop } from "./elicitation-stop.tsx";
import { MessageItem } from "./message-item.tsx";
import { type OnFold, SubAgentFold } from "./sub-agent-fold.tsx";
import { TurnEnd } from "./turn-end.tsx";

export function StopView({ stop, onFold }: { stop: Stop; onFold: OnFold }) {
  switch (stop.type) {
    case "turn_end":
      return <TurnEnd turn={stop.turn} />;
    case "question":
      return <ElicitationStop question={stop.question} />;
    case "sub_agent":
      return (
        <article className="stop sub-agent" aria-label="Sub-agent">
          <p>A sub-agent whose beginning is not here</p>
          <SubAgentFold work={stop.work} onFold={onFold} />
        </article>
      );
    case "item":
      if (stop.item.type === "message") return <MessageItem message={stop.item} />;
      return (
        <>
          <ToolCallItem toolCall={stop.item} />
          {stop.work !== null && <SubAgentFold work={stop.work} onFold={onFold} />}
        </>
      );
  }
}
