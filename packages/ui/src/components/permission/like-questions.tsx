// Lists the waiting questions that are like the one shown, to answer them together. What is outside the folder, and a command that is not shown whole, is not ticked.

import type { PermissionRow } from "@signalbox/protocol";
import { useState } from "react";
import { LineCounts } from "../diff/line-counts.tsx";
import { CheckBox } from "../shared/check-box.tsx";
import { KeyHint } from "../shared/key-hint.tsx";
import { nameQuestion } from "./answers.ts";
import { OutsideMark } from "./asked-changes.tsx";

interface LikeQuestionsProps {
  readonly questions: readonly PermissionRow[];
  /** Those that are answered together with the one shown. */
  readonly chosen: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
  readonly onAllow: () => void;
  readonly onDeny: () => void;
  readonly folder: string;
  readonly isBusy: boolean;
  readonly isRisky: boolean;
}

/** How the key finds the button that allows all of them. */
export const allButton = "signalbox/all";

export function LikeQuestions(props: LikeQuestionsProps) {
  const { questions, chosen, onToggle, onAllow, onDeny, folder, isBusy, isRisky } = props;
  // Open from the beginning: what is allowed together has to be seen.
  const [isOpen, setOpen] = useState(true);
  const total = chosen.size + 1;
  return (
    <div className="like-questions">
      <div className="like-acts">
        <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {questions.length} more like this
        </button>
        <button
          type="button"
          className="button"
          data-option={allButton}
          disabled={isBusy || chosen.size === 0}
          onClick={onAllow}
        >
          Allow these {total} <KeyHint letter={isRisky ? "L ↵" : "L"} />
        </button>
        <button type="button" className="button no" disabled={isBusy || chosen.size === 0} onClick={onDeny}>
          Deny these {total}
        </button>
      </div>
      {isOpen && (
        <ul>
          {questions.map((question) => (
            <li key={question.permission_id}>
              <label>
                <CheckBox isOn={chosen.has(question.permission_id)} onChange={() => onToggle(question.permission_id)} />
                <code>{nameQuestion(question, folder)}</code>
                {question.outside.length > 0 && <OutsideMark />}
                <LineCounts files={question.hunks} />
              </label>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
