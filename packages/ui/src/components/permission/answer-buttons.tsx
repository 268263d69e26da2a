// The buttons of a question: allow, with how far; deny, with what to do instead; or one for each answer where the agent offers a choice. For a
// question with a risk Deny comes first, and Allow does not look like the usual answer.

import type { PermissionOption } from "@signalbox/protocol";
import { mildestOptions } from "@signalbox/react";
import type { RefObject } from "react";
import { Icon } from "../shared/icon.tsx";
import { KeyHint } from "../shared/key-hint.tsx";
import { isAllow, optionLabel } from "./answers.ts";
import type { useAnswer } from "./use-answer.ts";

interface AnswerButtonsProps {
  readonly options: readonly PermissionOption[];
  readonly answer: ReturnType<typeof useAnswer>;
  /** Each option has a button. */
  readonly isChoice: boolean;
  readonly isRisky: boolean;
  /** Something that could be looked at was not opened yet. */
  readonly isUnread: boolean;
  /** Undefined when there is nothing more to choose. */
  readonly panel: { readonly isOpen: boolean; readonly toggle: () => void } | undefined;
  readonly commentField: RefObject<HTMLInputElement | null>;
}

export function AnswerButtons(props: AnswerButtonsProps) {
  const { options, answer, isChoice, isRisky, isUnread, panel, commentField } = props;
  const { comment, isBusy } = answer;
  const { allow, deny } = mildestOptions(options);
  const allowLetter = isRisky ? "A ↵" : "A";
  const look = isRisky ? "button" : "button primary";
  const allowButton = (
    <span className="split" key="allow">
      <button
        type="button"
        className={look}
        data-option={allow?.optionId}
        disabled={isBusy}
        title={isRisky ? "Takes two keys: A, then Enter" : undefined}
        onClick={() => answer.allow(allow)}
      >
        {isUnread ? "Allow without looking" : "Allow once"} <KeyHint letter={allowLetter} />
      </button>
      {panel !== undefined && (
        <button
          type="button"
          className={look}
          aria-label="Allow for longer"
          aria-expanded={panel.isOpen}
          title="Allow for longer (Alt+Shift+A)"
          onClick={panel.toggle}
        >
          <Icon name={panel.isOpen ? "down" : "up"} isSmall />
        </button>
      )}
    </span>
  );
  const denyButton = (
    <button key="deny" type="button" className="button no" disabled={isBusy} onClick={() => answer.answer(deny)}>
      {comment.trim() === "" ? "Deny" : "Deny and send"} <KeyHint letter="D" />
    </button>
  );
  const choices = isRisky ? options.toSorted((a, b) => Number(isAllow(a)) - Number(isAllow(b))) : options;
  return (
    <div className="acts">
      {isChoice
        ? choices.map((option) => (
            <button
              key={option.optionId}
              type="button"
              className={`button ${!isAllow(option) ? "no" : option.kind === "allow_once" && !isRisky ? "primary" : ""}`}
              data-option={option.optionId}
              disabled={isBusy}
              onClick={() => answer.answer(option)}
            >
              {optionLabel(option)} {option === allow && <KeyHint letter={allowLetter} />}
              {option === deny && <KeyHint letter="D" />}
            </button>
          ))
        : isRisky
          ? [denyButton, allowButton]
          : [allowButton, denyButton]}
      {deny !== undefined && (
        <input
          ref={commentField}
          className="comment"
          aria-label="Deny and say what to do instead"
          placeholder="Deny and say what to do instead (Alt+X)"
          value={comment}
          onChange={(event) => answer.setComment(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && comment.trim() !== "") answer.answer(deny);
          }}
        />
      )}
    </div>
  );
}

/** Gives the focus to the button of an option. False when it has none. A thread shows one question at a time, and keys are for one thread. */
export function focusAnswer(option: string): boolean {
  const buttons = [...document.querySelectorAll<HTMLElement>('.pane[data-active="true"] .ask [data-option]')];
  const found = buttons.find((button) => button.dataset.option === option);
  found?.focus();
  return found !== undefined;
}
