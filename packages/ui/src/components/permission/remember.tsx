// Chooses how far a permission reaches and by which rule it is remembered. The host offers the rules; one click takes a wider one.

import type { PermissionOption, PermissionRow } from "@signalbox/protocol";
import { useStore } from "@signalbox/react";
import type { RememberScope } from "@signalbox/rules";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useFolderName } from "../../hooks/use-folder-name.ts";
import { moveInRadioGroup, Radio } from "../shared/check-box.tsx";
import { optionLabel } from "./answers.ts";

export const allowLabels: Readonly<Record<RememberScope, string>> = {
  once: "Allow once",
  turn: "Allow for this turn",
  thread: "Allow for this thread",
  folder: "Allow in this folder",
  always: "Always allow",
};

interface RememberProps {
  readonly question: PermissionRow;
  readonly folder: string;
  readonly agent: string;
  readonly scopes: readonly RememberScope[];
  readonly scope: RememberScope;
  readonly onScope: (scope: RememberScope) => void;
  /** The rules to choose from, the narrowest first. */
  readonly rules: readonly string[];
  readonly rule: string | null;
  readonly onRule: (rule: string) => void;
  /** Answers that only the agent itself understands. */
  readonly agentOptions: readonly PermissionOption[];
  readonly onOption: (option: PermissionOption) => void;
}

export function Remember(props: RememberProps) {
  const { scopes, scope, onScope, folder, agent, rules, rule, onRule, agentOptions, onOption } = props;
  const folderName = useFolderName();
  const { dataFolder } = useStore(useSignalbox().machine);
  const reach: Readonly<Record<RememberScope, string>> = {
    once: "nothing is remembered",
    turn: "until the agent stops",
    thread: "until the thread is deleted",
    folder: `${folderName(folder)}, ${agent}`,
    always: `every folder, ${agent}`,
  };
  return (
    <div className="remember-panel">
      {scopes.length > 1 && (
        <div role="radiogroup" aria-label="How far" onKeyDown={moveInRadioGroup}>
          {scopes.map((each, index) => (
            <label key={each} className="remember-choice">
              <Radio isOn={each === scope} onChoose={() => onScope(each)} />
              <kbd>{index + 1}</kbd>
              <span>{allowLabels[each]}</span>
              <small>{reach[each]}</small>
            </label>
          ))}
        </div>
      )}
      {scope !== "once" && rule !== null && (
        <div className="remember-rule">
          <p>Adds the rule {rules.length > 1 && <small>from narrow to wide</small>}</p>
          <div role="radiogroup" aria-label="Rule" onKeyDown={moveInRadioGroup}>
            {rules.map((each) => (
              <label key={each} className="rule-choice" data-chosen={each === rule || undefined}>
                <Radio isOn={each === rule} onChoose={() => onRule(each)} />
                <code>{each}</code>
              </label>
            ))}
          </div>
          <p>
            <small>
              {scope === "turn"
                ? "Kept only until this turn ends."
                : `Kept in ${dataFolder === null ? "" : `${folderName(dataFolder)}/`}permissions.json, also after a restart. Settings lists it.`}
            </small>
          </p>
        </div>
      )}
      {agentOptions.length > 0 && (
        <div className="own-options">
          <p>
            <small>Options of {agent} itself: it remembers them as it likes.</small>
          </p>
          {agentOptions.map((option) => (
            <button key={option.optionId} type="button" className="button" onClick={() => onOption(option)}>
              {optionLabel(option)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
