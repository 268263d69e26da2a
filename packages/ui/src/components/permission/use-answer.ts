// Holds the answer that is being given to a question: by which rule it is remembered, what is said with a denial, and which others get it too.
import type { PermissionOption, PermissionRow } from "@signalbox/protocol";
import { type Answer, answerPermission } from "@signalbox/react";
import type { RememberScope } from "@signalbox/rules";
import { useMemo, useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { hostDeny, isAllow, isNamedWhole } from "./answers.ts";

export function useAnswer(question: PermissionRow, alike: readonly PermissionRow[]) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const rules = useMemo(() => listRules(question), [question]);
  const [rule, setRule] = useState(rules[0] ?? null);
  const [comment, setComment] = useState("");
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map());
  const chosen = new Set(
    alike
      .filter((each) => changed.get(each.permission_id) ?? (each.outside.length === 0 && isNamedWhole(each)))
      .map(({ permission_id: id }) => id),
  );
  const send = (option: PermissionOption | undefined, more: Answer = {}) => {
    if (option === undefined || isBusy) return;
    const said = comment.trim();
    void attempt(() =>
      answerPermission(connection, question, option === hostDeny ? null : option, {
        ...(isAllow(option) || said === "" ? {} : { comment: said }),
        ...more,
      }),
    );
  };
  /** Only a permission is remembered here: a rule that denies is written in the settings. */
  const remember = (scope: RememberScope): Answer =>
    scope === "once" ? {} : { remember: scope, ...(rule === null ? {} : { rule: `allow ${rule}` }) };
  return {
    error,
    isBusy,
    rules,
    rule,
    setRule,
    comment,
    setComment,
    chosen,
    toggle: (id: string) => setChanged(new Map(changed).set(id, !chosen.has(id))),
    allow: (option: PermissionOption | undefined, scope: RememberScope = "once") => send(option, remember(scope)),
    answer: (option: PermissionOption | undefined) => send(option),
    answerAll: (option: PermissionOption | undefined) =>
      send(option, { also: alike.filter((row) => chosen.has(row.permission_id)) }),
  };
}

function listRules({ rule_if_remembered: narrow, wider_rules: wider }: PermissionRow): readonly string[] {
  return narrow === null ? [] : [narrow, ...wider];
}
