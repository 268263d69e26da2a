// The agent's form. What does not fit is said beside its field before anything is sent; what only the host can tell, after.
import { type FormProblem, formProblems, isJsonObject, type Json } from "@signalbox/protocol";
import { type FormEvent, useMemo, useRef, useState } from "react";
import { RequestError } from "../../connection/connection.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { FieldView } from "./field-view.tsx";
import { contentOf, defaultsOf, type Filled, fieldsOf } from "./form-fields.ts";
import type { Respond } from "./respond.ts";

interface ElicitationFormOf {
  readonly schema: Json;
  readonly respond: Respond;
  readonly isDeaf: () => boolean;
}

export function ElicitationForm({ schema, respond, isDeaf }: ElicitationFormOf) {
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const [filled, setFilled] = useState<Filled>(() => defaultsOf(schema));
  const [problems, setProblems] = useState<readonly FormProblem[]>([]);
  const [error, setError] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const show = (found: readonly FormProblem[], words: string | null) => {
    setProblems(found);
    setError(words);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  };
  const send = async () => {
    const content = contentOf(fields, filled);
    const found = formProblems(schema, content);
    show(found, null);
    if (found.length > 0) return;
    try {
      await respond("accept", content);
    } catch (refusal) {
      const told = problemsIn(refusal);
      show(told, told.length > 0 ? null : refusal instanceof Error ? refusal.message : String(refusal));
    }
  };
  const byKey = () => {
    if (!isDeaf()) void send();
  };
  const focus = () => form.current?.querySelector<HTMLElement>("input, select")?.focus();
  useKeys({ a: byKey, "alt+a": byKey, q: focus, "alt+q": focus });
  return (
    <form
      id="elicitation"
      ref={form}
      className="elicitation-form"
      // The page says itself what is wrong, beside the field.
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void send();
      }}
    >
      {fields.map((field) => (
        <FieldView
          key={field.name}
          field={field}
          value={filled.get(field.name) ?? ""}
          problem={problems.find((problem) => problem.field === field.name)?.message ?? null}
          onChange={(value) => setFilled(new Map(filled).set(field.name, value))}
        />
      ))}
      {error !== null && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
    </form>
  );
}

/** The host knows more, such as whether a text matches the agent's pattern. */
function problemsIn(refusal: unknown): readonly FormProblem[] {
  if (!(refusal instanceof RequestError) || !isJsonObject(refusal.details)) return [];
  const { problems } = refusal.details;
  return (Array.isArray(problems) ? problems : []).flatMap((problem) =>
    isJsonObject(problem) && typeof problem.field === "string" && typeof problem.message === "string"
      ? [{ field: problem.field, message: problem.message }]
      : [],
  );
}
