// One event of the log on its way into the rows.
import type { Json } from "@signalbox/protocol";

export interface LoggedEvent {
  readonly threadId: string;
  readonly seq: number;
  readonly ts: number;
  readonly kind: string;
  readonly value: Json;
}
