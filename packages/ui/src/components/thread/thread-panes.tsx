// One thread, or two side by side. Each has its own head, questions and prompt; a click or the focus decides which one gets the keys.
import { useStore } from "@signalbox/react";
import { useEffect, useMemo } from "react";
import { PaneContext } from "../../hooks/pane.ts";
import { activeThread } from "../../hooks/thread-pair.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import type { ThreadRoute } from "../../hooks/use-route.ts";
import { closeThread, goToOther, lastShown, lastUsed } from "../../stores/panes.ts";
import { brokenView } from "../shared/broken-view.tsx";
import { ErrorBoundary } from "../shared/error-boundary.tsx";
import { ThreadPage } from "./thread-page.tsx";

export function ThreadPanes({ route }: { route: ThreadRoute }) {
  const active = activeThread(route, useStore(lastUsed));
  const { beside } = route;
  const isPaired = beside !== undefined;
  const shown = useMemo(
    (): readonly ThreadRoute[] => (beside === undefined ? [route] : [route, { page: "thread", threadId: beside }]),
    [route, beside],
  );
  useEffect(() => lastShown.set(route), [route]);
  useKeys({ "alt+shift+b": () => active !== null && closeThread(active), F6: goToOther }, { isWanted: isPaired });
  return (
    <div className="panes" data-paired={isPaired || undefined}>
      {shown.map((each, index) => (
        <Pane
          key={each.threadId}
          route={each}
          side={!isPaired ? null : index === 0 ? "left" : "right"}
          isActive={each.threadId === active}
        />
      ))}
    </div>
  );
}

interface PaneProps {
  readonly route: ThreadRoute;
  readonly side: "left" | "right" | null;
  readonly isActive: boolean;
}

function Pane({ route, side, isActive }: PaneProps) {
  const { threadId } = route;
  const pane = useMemo(() => ({ isActive, side }), [isActive, side]);
  const use = () => lastUsed.set(threadId);
  return (
    <div
      className="pane"
      {...(side !== null && { role: "group", "aria-label": side === "left" ? "Left thread" : "Right thread" })}
      data-active={isActive}
      onFocusCapture={use}
      onPointerDownCapture={use}
    >
      <PaneContext value={pane}>
        <ErrorBoundary fallback={brokenView}>
          <ThreadPage route={route} />
        </ErrorBoundary>
      </PaneContext>
    </div>
  );
}
