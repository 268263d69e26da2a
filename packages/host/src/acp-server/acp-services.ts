// Declares what serving ACP clients needs of the host.
import type { SessionServices } from "../sessions/session-services.ts";
import type { Sessions } from "../sessions/sessions.ts";

export interface AcpServices
  extends Pick<SessionServices, "register" | "broker" | "elicitations" | "editors" | "userConfig" | "version"> {
  readonly sessions: Sessions;
}

/** What a client is connected by. */
export interface Outlet {
  /** Too much is unread. */
  readonly isFull: boolean;
  send(text: string): void;
  /** Calls back when the client has read what was sent. */
  onceDrained(callback: () => void): void;
}
