// Replaces the session id in the text of `params` and leaves every other byte as it is. Numbers, repeated keys and spaces stay as the agent
// wrote them.

const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},:]/gs;

/** Every `sessionId` directly in the object becomes this one: an agent must not reach another session with a second one. */
export function withSessionId(params: string, sessionId: string): string {
  const value = JSON.stringify(sessionId);
  let result = "";
  let copied = 0;
  let depth = 0;
  let key: string | null = null;
  let isKeyNext = false;
  let isValueNext = false;
  tokens.lastIndex = 0;
  for (let token = tokens.exec(params); token !== null; token = tokens.exec(params)) {
    const [text] = token;
    if (depth === 1 && isValueNext && key === "sessionId" && text.startsWith('"')) {
      result += params.slice(copied, token.index) + value;
      copied = tokens.lastIndex;
    }
    if (depth === 1 && isKeyNext && text.startsWith('"')) key = JSON.parse(text) as string;
    isValueNext = depth === 1 && text === ":";
    isKeyNext = (depth === 1 && text === ",") || (depth === 0 && text === "{");
    if (text === "{" || text === "[") depth++;
    else if (text === "}" || text === "]") depth--;
  }
  return result + params.slice(copied);
}
