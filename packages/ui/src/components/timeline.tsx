// The line: every item a stop on it, in the order of first appearance. Only what is near the screen is in the document; the end
// is followed while the person is at the end.
import type { ThreadView, TimelineItem, TurnRow } from "@signalbox/protocol";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useMemo, useRef } from "react";
import { MessageItem } from "./message-item.tsx";
import { ToolCallItem } from "./tool-call-item.tsx";
import { TurnEnd } from "./turn-end.tsx";

type Stop =
  | { readonly type: "item"; readonly key: string; readonly item: TimelineItem }
  | { readonly type: "turn_end"; readonly key: string; readonly turn: TurnRow };

export function Timeline({ view }: { view: ThreadView }) {
  const stops = useMemo(() => stopsOf(view), [view]);
  const scroller = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: stops.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => stops[index]?.key ?? index,
    estimateSize: () => 64,
    overscan: 6,
    anchorTo: "end",
    followOnAppend: true,
  });
  useLayoutEffect(() => virtual.scrollToEnd(), [virtual]);
  return (
    <section className="timeline" ref={scroller} aria-label="Timeline" tabIndex={-1}>
      <ol className="track" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const stop = stops[index];
          return (
            stop !== undefined && (
              <li
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                className="place"
                style={{ transform: `translateY(${start}px)` }}
              >
                <StopView stop={stop} />
              </li>
            )
          );
        })}
      </ol>
    </section>
  );
}

function StopView({ stop }: { stop: Stop }) {
  if (stop.type === "turn_end") return <TurnEnd turn={stop.turn} />;
  return stop.item.type === "message" ? <MessageItem message={stop.item} /> : <ToolCallItem toolCall={stop.item} />;
}

/** A turn's end stands where its last event was: after everything it brought, before the next prompt. */
function stopsOf({ timeline, turns }: ThreadView): readonly Stop[] {
  const ended = turns.filter((turn) => turn.ended_at !== null).toSorted((a, b) => a.last_seq - b.last_seq);
  const stops: Stop[] = [];
  let next = 0;
  for (const item of timeline) {
    for (let turn = ended[next]; turn !== undefined && turn.last_seq < item.seq; turn = ended[++next]) {
      stops.push({ type: "turn_end", key: turn.turn_id, turn });
    }
    stops.push({ type: "item", key: `item-${item.seq}`, item });
  }
  for (const turn of ended.slice(next)) stops.push({ type: "turn_end", key: turn.turn_id, turn });
  return stops;
}
