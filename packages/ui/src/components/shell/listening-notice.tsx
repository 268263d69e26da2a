// Says, on every view, when others on the network could read along. Silent where only this machine can connect.

import { useEffect, useState } from "react";
import { useQuery } from "../../hooks/use-query.ts";

/** The first sight of a thread does not wait for this. */
const laterMs = 1000;

export function ListeningNotice() {
  const [isLater, setLater] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLater(true), laterMs);
    return () => clearTimeout(timer);
  }, []);
  const { rows } = useQuery("setup.get", isLater ? {} : null);
  const warning = rows?.[0]?.listening?.warning ?? null;
  if (warning === null) return null;
  return (
    <div role="alert" className="exposed">
      {warning}
    </div>
  );
}
