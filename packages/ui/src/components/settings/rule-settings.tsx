// The Rules section: what each rule allows, asks or denies, where it is from, and when it was last used. Saved rules can be changed here.

import type { RuleRow } from "@signalbox/protocol";
import { useQuery, useThreads } from "@signalbox/react";
import { parseRule, type RuleDecision } from "@signalbox/rules";
import { type FormEvent, useId, useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useFolderName } from "../../hooks/use-folder-name.ts";
import { formatRoute } from "../../hooks/use-route.ts";
import { ago } from "../../text/time.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { focusField } from "../shared/focus-field.ts";
import { ListBox } from "../shared/list-box.tsx";
import { Section } from "./section.tsx";

const sources: Readonly<Record<string, string>> = {
  user_config: "your config.json",
  project_config: "the project's config.json",
  flag: "a flag of this run",
  remembered: "your answer",
};

const howToWrite =
  "A rule names what it is about: kind:edit, tool:bash, command:git *, path:src/** or agent:claude. Several, joined by commas, must all hold; all is everything.";

const decisions = ["allow", "ask", "deny"].map((value) => ({ value, name: value }));

export function RuleSettings() {
  const { connection } = useSignalbox();
  const rules = useQuery("rules.list", {});
  const { attempt, error } = useAttempt();
  const change = async (work: () => Promise<unknown>) => {
    const isDone = await attempt(work);
    rules.refresh();
    return isDone;
  };
  const remove = (rule: RuleRow) => change(() => connection.request("rules.delete", { rule_id: rule.id }));
  const save = (decision: RuleDecision, match: string, scope: RuleRow["scope"]) =>
    change(() => connection.request("rules.save", { decision, match, scope }));
  return (
    <Section title="Rules" lead="Order: deny, ask, allow. Without a matching rule you are asked." state={rules}>
      <table className="rules" hidden={rules.rows?.length === 0}>
        <thead>
          <tr>
            <th scope="col">action</th>
            <th scope="col">rule</th>
            <th scope="col">folder</th>
            <th scope="col">source</th>
            <th scope="col">last used</th>
            <th scope="col">
              <span className="visually-hidden">change</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {(rules.rows ?? []).map((rule) => (
            <Rule key={rule.id} rule={rule} onRemove={remove} onSave={save} />
          ))}
        </tbody>
      </table>
      {rules.rows?.length === 0 && (
        <p className="hint">No rules yet. Rules you save from a permission card appear here.</p>
      )}
      <RuleForm onSave={(decision, match) => save(decision, match, null)} />
      <ErrorText error={error} />
    </Section>
  );
}

interface RuleLine {
  readonly rule: RuleRow;
  readonly onRemove: (rule: RuleRow) => Promise<boolean>;
  readonly onSave: (decision: RuleDecision, match: string, scope: RuleRow["scope"]) => Promise<boolean>;
}

function Rule({ rule, onRemove, onSave }: RuleLine) {
  const isRemembered = rule.source === "remembered";
  const [edited, setEdited] = useState<string | null>(null);
  const scopeName = useScopeName();
  const replace = async (decision: RuleDecision, match: string) => {
    // The new rule is added before the old one is removed: in between, the stricter one applies.
    if (await onSave(decision, match, rule.scope)) await onRemove(rule);
  };
  const rewrite = async () => {
    if (edited === null || parseRule(edited) === undefined) return;
    if (edited !== rule.match) await replace(rule.decision, edited);
    setEdited(null);
  };
  return (
    <tr>
      <td data-decision={rule.decision}>
        {isRemembered ? (
          <ListBox
            look="chip"
            label={`What ${rule.match} does`}
            value={rule.decision}
            onChange={(decision) => void replace(decision as RuleDecision, rule.match)}
            options={decisions}
          />
        ) : (
          rule.decision
        )}
      </td>
      <td>
        {edited === null ? (
          <code>{rule.match}</code>
        ) : (
          <input
            aria-label={`Rule ${rule.match}`}
            aria-invalid={parseRule(edited) === undefined}
            value={edited}
            spellCheck={false}
            ref={focusField}
            onChange={(event) => setEdited(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter") void rewrite();
              if (event.key === "Escape") setEdited(null);
            }}
          />
        )}
      </td>
      <td>{scopeName(rule.scope)}</td>
      <td>{sources[rule.source] ?? rule.source}</td>
      <td>
        {rule.match_count === 0
          ? "never"
          : `${rule.match_count}×${rule.last_matched_at === null ? "" : `, ${ago(rule.last_matched_at)}`}`}
        {rule.last_match !== null && (
          <a className="last-match" href={formatRoute({ page: "thread", threadId: rule.last_match.thread_id })}>
            <code>{rule.last_match.text}</code>
          </a>
        )}
      </td>
      <td className="rule-acts">
        {isRemembered && edited === null && (
          <button
            type="button"
            className="quiet"
            aria-label={`Edit ${rule.match}`}
            onClick={() => setEdited(rule.match)}
          >
            Edit
          </button>
        )}
        {edited !== null && (
          <button
            type="button"
            className="quiet"
            disabled={parseRule(edited) === undefined}
            aria-label={`Save ${rule.match}`}
            onClick={() => void rewrite()}
          >
            Save
          </button>
        )}
        {isRemembered && (
          <button
            type="button"
            className="quiet"
            aria-label={`Delete ${rule.match}`}
            onClick={() => void onRemove(rule)}
          >
            Delete
          </button>
        )}
      </td>
    </tr>
  );
}

/** Where a rule applies: a thread by its title, or a folder. */
function useScopeName(): (scope: RuleRow["scope"]) => string {
  const threads = useThreads();
  const folderName = useFolderName();
  return (scope) => {
    if (scope === null) return "everywhere";
    if (scope.type === "folder") return folderName(scope.id);
    return `thread “${threads?.find((thread) => thread.id === scope.id)?.title ?? scope.id}”`;
  };
}

function RuleForm({ onSave }: { onSave: (decision: RuleDecision, match: string) => Promise<boolean> }) {
  const [decision, setDecision] = useState<RuleDecision>("allow");
  const [match, setMatch] = useState("");
  const isRule = parseRule(match) !== undefined;
  const isWrong = match !== "" && !isRule;
  const hintId = useId();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isRule && (await onSave(decision, match))) setMatch("");
  };
  return (
    <form className="row" onSubmit={(event) => void submit(event)}>
      <ListBox
        label="What the new rule does"
        value={decision}
        onChange={(chosen) => setDecision(chosen as RuleDecision)}
        options={decisions}
      />
      <label className="grow">
        <span className="visually-hidden">New rule</span>
        <input
          value={match}
          placeholder="kind:edit,path:src/** or command:git * or tool:bash"
          spellCheck={false}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? hintId : undefined}
          onChange={(event) => setMatch(event.target.value)}
        />
      </label>
      <button type="submit" className="button" disabled={!isRule}>
        Add rule
      </button>
      {isWrong && (
        <p className="hint" id={hintId} role="status">
          {howToWrite}
        </p>
      )}
    </form>
  );
}
