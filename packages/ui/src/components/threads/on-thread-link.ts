// A click on a link to a thread where two can stand side by side: it takes the place of the one that was used last, or with Alt stands beside it.
import type { MouseEvent } from "react";
import { hasRoomForTwo, isPaired, openSecondPane, showThread } from "../../stores/panes.ts";

/** Otherwise the browser follows the link. */
export function onThreadLink(event: MouseEvent, threadId: string): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.altKey && hasRoomForTwo()) openSecondPane(threadId);
  else if (isPaired()) showThread(threadId);
  else return;
  event.preventDefault();
}
