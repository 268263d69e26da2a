// Says when the line to the host is broken, and what happens next. Silent while all is well.
import { useConnectionStatus } from "../../hooks/use-connection-status.ts";

export function ConnectionNotice() {
  const status = useConnectionStatus();
  return (
    <div role="status" className="notice" hidden={status === "open" || status === "connecting"} data-status={status}>
      {status === "offline" && "Signalbox is not reachable. Trying again; nothing is lost."}
      {status === "refused" &&
        "Signalbox does not know this page any more. Open the address from its ready line, which ends in #token=…"}
    </div>
  );
}
