// Says of what day a list is that Signalbox got from the web, and gets a newer one on request.
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { ErrorText } from "../shared/error-text.tsx";

interface RefreshedListProps {
  /** Which list, and of what day. */
  readonly text: string;
  readonly action: string;
  readonly request: "registry.refresh" | "models.refresh";
  /** Where the newer one is, where that is known. */
  readonly url?: string | undefined;
  readonly onRefreshed: () => void;
}

export function RefreshedList({ text, action, request, url, onRefreshed }: RefreshedListProps) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const refresh = async () => {
    if (await attempt(() => connection.request(request, {}))) onRefreshed();
  };
  return (
    <p className="row hint">
      {text}
      <button type="button" className="button" title={url} disabled={isBusy} onClick={() => void refresh()}>
        {isBusy ? "Refreshing …" : action}
      </button>
      <ErrorText error={error} isInline />
    </p>
  );
}
