// The agent's form. Errors appear beside their field before it is sent; those that only the host can find, after.

import { type FormProblem, formProblems, HostError, isJsonObject, type Json, messageOf } from "@signalbox/protocol";
import { type FormEvent, type RefObject, useMemo, useRef, useState } from "react";
import { useTypedLetters } from "../../hooks/use-just-appeared.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { FormFieldView } from "./form-field.tsx";
import { type Answers, buildAnswers, type FormValues, readDefaults, readFields } from "./form-fields.ts";

/** Answers the question. Only an accepted form has content. */
export type Respond = (action: "accept" | "decline" | "cancel", content?: Answers) => Promise<void>;

interface ElicitationFormProps {
  /** Plain letters answer while it has the focus. */
  readonly card: RefObject<HTMLElement | null>;
  readonly schema: Json;
  readonly respond: Respond;
  readonly hasJustAppeared: () => boolean;
}

export function ElicitationForm({ card, schema, respond, hasJustAppeared }: ElicitationFormProps) {
  const fields = useMemo(() => readFields(schema), [schema]);
  const [filled, setFilled] = useState<FormValues>(() => readDefaults(schema));
  const [problems, setProblems] = useState<readonly FormProblem[]>([]);
  const [error, setError] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const show = (found: readonly FormProblem[], message: string | null) => {
    setProblems(found);
    setError(message);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
  };
  const send = async () => {
    const content = buildAnswers(fields, filled);
    const found = formProblems(schema, content);
    show(found, null);
    if (found.length > 0) return;
    try {
      await respond("accept", content);
    } catch (refusal) {
      const hostProblems = readProblems(refusal);
      show(hostProblems, hostProblems.length > 0 ? null : messageOf(refusal));
    }
  };
  const byKey = () => {
    if (!hasJustAppeared()) void send();
  };
  const isTyped = useTypedLetters();
  useKeys({ a: byKey, "alt+a": byKey }, { part: card, isExact: true, isTyped });
  return (
    <form
      id="elicitation"
      ref={form}
      className="elicitation-form"
      // The page shows errors itself, beside the field.
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void send();
      }}
    >
      {fields.map((field) => (
        <FormFieldView
          key={field.name}
          field={field}
          value={filled.get(field.name) ?? ""}
          problem={problems.find((problem) => problem.field === field.name)?.message ?? null}
          onChange={(value) => setFilled(new Map(filled).set(field.name, value))}
        />
      ))}
      <ErrorText error={error} />
    </form>
  );
}

/** Reads the problems that the host found, such as a text that does not match the agent's pattern. */
function readProblems(refusal: unknown): readonly FormProblem[] {
  if (!(refusal instanceof HostError) || !isJsonObject(refusal.details)) return [];
  const { problems } = refusal.details;
  return (Array.isArray(problems) ? problems : []).flatMap((problem) =>
    isJsonObject(problem) && typeof problem.field === "string" && typeof problem.message === "string"
      ? [{ field: problem.field, message: problem.message }]
      : [],
  );
}
