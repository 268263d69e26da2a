// An edit of a text: what stands there is replaced by something else, once or everywhere. A file with CRLF line ends keeps them, although models write LF.
import { ToolFailure } from "./tool.ts";

export interface TextEdit {
  readonly oldString: string;
  readonly newString: string;
  readonly replaceAll: boolean;
}

export interface EditedText {
  readonly text: string;
  readonly count: number;
}

/** Throws what the model should know when the edit does not fit. */
export function replaceText(text: string, edit: TextEdit): EditedText {
  if (edit.oldString === edit.newString)
    throw new ToolFailure("old_string and new_string are the same: nothing would change.");
  const { oldString, newString } = fitting(text, edit);
  const pieces = text.split(oldString);
  const count = pieces.length - 1;
  if (count === 0) {
    throw new ToolFailure("old_string is not in the file. It must be there exactly as given, with its whitespace.");
  }
  if (count > 1 && !edit.replaceAll) {
    throw new ToolFailure(
      `old_string is in the file ${count} times. Give more of the text around it, or set replace_all to change all of them.`,
    );
  }
  if (!edit.replaceAll && text.indexOf(oldString, text.indexOf(oldString) + 1) !== -1) {
    throw new ToolFailure("old_string is in the file more than once, overlapping. Give more of the text around it.");
  }
  return { text: pieces.join(newString), count };
}

/** The same text with the line ends of the file that it replaces. */
export function withLineEndsOf(before: string, text: string): string {
  return usesCrlf(before) ? toCrlf(text) : text;
}

/** The strings as they are, or with the file's line ends where only so they are found. */
function fitting(text: string, { oldString, newString }: TextEdit): Pick<TextEdit, "oldString" | "newString"> {
  if (!usesCrlf(text)) return { oldString, newString };
  // A file with both kinds of line ends may have the old string as given.
  if (text.includes(oldString) && oldString.includes("\n")) return { oldString, newString };
  return { oldString: toCrlf(oldString), newString: toCrlf(newString) };
}

function usesCrlf(text: string): boolean {
  const crlf = text.split("\r\n").length - 1;
  return crlf > 0 && crlf * 2 >= text.split("\n").length - 1;
}

function toCrlf(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}
