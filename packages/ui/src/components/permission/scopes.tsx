// The scopes of a permission, inside the card: a press allows at once for that scope. The other half shows the exact rule that is added; where
// the host offers wider ones, one of them can be chosen first.

import type { PermissionOption } from "@signalbox/protocol";
import { useStore } from "@signalbox/react";
import type { RememberScope } from "@signalbox/rules";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useFolderName } from "../../hooks/use-folder-name.ts";
import { moveInRadioGroup } from "../shared/check-box.tsx";
import { optionLabel } from "./answers.ts";

const scopeLabels: Readonly<Record<RememberScope, string>> = {
  once: "Once",
  turn: "This turn",
  thread: "This thread",
  folder: "Always in this folder",
  always: "Always, in every folder",
};

interface ScopesProps {
  readonly folder: string;
  readonly agent: string;
  readonly scopes: readonly RememberScope[];
  readonly onScope: (scope: RememberScope) => void;
  /** The rules to choose from, the narrowest first. */
  readonly rules: readonly string[];
  readonly rule: string | null;
  readonly onRule: (rule: string) => void;
  /** Answers that only the agent itself understands. */
  readonly agentOptions: readonly PermissionOption[];
  readonly onOption: (option: PermissionOption) => void;
  readonly isBusy: boolean;
}

export function Scopes(props: ScopesProps) {
  const { scopes, onScope, folder, agent, rules, rule, onRule, agentOptions, onOption, isBusy } = props;
  const folderName = useFolderName();
  const { dataFolder } = useStore(useSignalbox().machine);
  const reach: Readonly<Record<RememberScope, string>> = {
    once: "nothing is remembered",
    turn: "until the agent stops",
    thread: "until the thread is deleted",
    folder: `${folderName(folder)}, ${agent}`,
    always: agent,
  };
  return (
    <div className="scopes">
      {scopes.length > 1 && (
        <div role="group" aria-label="Allow for">
          <p aria-hidden="true">
            Allow for <span>acts at once</span>
          </p>
          {scopes.map((scope, index) => (
            <button
              key={scope}
              type="button"
              className="scope"
              data-option={scopeButton(scope)}
              disabled={isBusy}
              onClick={() => onScope(scope)}
            >
              <kbd>{index + 1}</kbd>
              <span>{scopeLabels[scope]}</span>
              <small>{reach[scope]}</small>
            </button>
          ))}
        </div>
      )}
      {scopes.length > 1 && rule !== null && (
        <div className="scope-rules">
          <p id="scope-rules">Adds exactly this rule {rules.length > 1 && <span>from narrow to wide</span>}</p>
          <div role="radiogroup" aria-labelledby="scope-rules" onKeyDown={moveInRadioGroup}>
            {rules.map((each) => (
              <button
                key={each}
                type="button"
                role="radio"
                className="scope-rule"
                aria-checked={each === rule}
                tabIndex={each === rule ? 0 : -1}
                onClick={() => onRule(each)}
              >
                <code>allow {each}</code>
              </button>
            ))}
          </div>
          <p>
            Kept in {dataFolder === null ? "" : `${folderName(dataFolder)}/`}permissions.json; Settings lists it. For
            this turn it is kept only until the turn ends.
          </p>
        </div>
      )}
      {agentOptions.length > 0 && (
        <div className="own-options">
          <p>Options of {agent} itself: it remembers them as it likes.</p>
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

/** By which a key finds the button of a scope. */
export function scopeButton(scope: RememberScope): string {
  return `signalbox/scope/${scope}`;
}
