import { expect, it } from "vitest";
import { plainOutput } from "./plain-output.ts";

it.each([
  ["\u001b[31mred\u001b[0m and \u001b[1;4mbold\u001b[m", "red and bold"],
  ["\u001b]8;;http://a\u0007link\u001b]8;;\u0007", "link"],
  ["10%\r50%\r100%\ndone\n", "100%\ndone\n"],
  ["10%\r100%", "100%"],
  ["a\r\nb\r\n", "a\nb\n"],
  ["plain\n\ttext", "plain\n\ttext"],
])("%j is %j", (output, plain) => expect(plainOutput(output)).toBe(plain));
