// How long threads are kept. It deletes, so it says how many threads go before it is saved.

import { count } from "@signalbox/protocol/sizes";
import { useQuery } from "@signalbox/react";
import { type FormEvent, useState } from "react";
import { LoadProblem } from "../shared/load-problem.tsx";
import { FieldError } from "./config-fields.tsx";
import { readConfigValue, useConfig, useKey } from "./use-config.ts";

export function RetentionForm() {
  const { label, unit, placeholder, path } = useKey("retention_days");
  const { config, file, set, error, isBusy } = useConfig();
  const written = readConfigValue(config, path);
  const saved = typeof written === "number" ? String(written) : "";
  const [typed, setTyped] = useState<string | null>(null);
  const text = (typed ?? saved).trim();
  const days = Number(text.replace(",", "."));
  const isNumber = text !== "" && Number.isFinite(days) && days > 0;
  const previews = useQuery("retention.preview", isNumber ? { days } : null);
  // The number of other days would be a wrong one.
  const preview = previews.isStale ? undefined : previews.rows?.[0];
  const isChanged = typed !== null && text !== saved;
  const save = async (event: FormEvent) => {
    event.preventDefault();
    // Text typed while saving is kept.
    if (await set(text === "" ? { path } : { path, value: isNumber ? days : text }))
      setTyped((now) => (now === typed ? null : now));
  };
  return (
    <form className="config-field retention" onSubmit={(event) => void save(event)}>
      <label>
        {label}
        <span>
          <input
            inputMode="decimal"
            value={typed ?? saved}
            placeholder={placeholder}
            onChange={(event) => setTyped(event.target.value)}
          />{" "}
          {unit}
        </span>
      </label>
      {isChanged && (
        <button type="submit" className="button" disabled={isBusy}>
          {text === "" ? "Keep all threads" : "Save"}
        </button>
      )}
      <small className="hint" role="status">
        {isNumber && preview !== undefined
          ? `${count(preview.threads)} ${preview.threads === 1 ? "thread" : "threads"} would be deleted now; pinned ones and those in which something runs or waits stay.`
          : `Pinned threads always stay. In ${file} under retention_days.`}
      </small>
      <LoadProblem what="How many threads would be deleted" state={previews} />
      <FieldError error={error} />
    </form>
  );
}
