// Replaces session ids in the text of `params` and leaves every other byte as it is. Numbers, repeated keys and spaces stay as the agent
// wrote them.

const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},:]/gs;

/** Keys of `update` that name a session, in the kinds that are about sub-agents. */
const namesSession = new Set(["sessionId", "senderSessionId", "recipientSessionId"]);

/**
 * Every `sessionId` directly in the object becomes this one: an agent must not reach another session with a second one. `inUpdate` gives the new
 * ids of the sessions that `update` names; without it those stay.
 */
export function withSessionId(params: string, sessionId: string, inUpdate?: (id: string) => string): string {
  let result = "";
  let copied = 0;
  let depth = 0;
  /** The key whose value follows, on the first level and on the second. */
  const keys = ["", "", ""];
  let isKeyNext = false;
  let isValueNext = false;
  tokens.lastIndex = 0;
  for (let token = tokens.exec(params); token !== null; token = tokens.exec(params)) {
    const [text] = token;
    const isText = text.startsWith('"');
    if (isText && isValueNext && depth <= 2) {
      const changed = newId(text);
      if (changed !== null) {
        result += params.slice(copied, token.index) + JSON.stringify(changed);
        copied = tokens.lastIndex;
      }
    }
    if (isText && isKeyNext && depth <= 2) keys[depth] = JSON.parse(text) as string;
    isValueNext = text === ":";
    isKeyNext = text === "{" || text === ",";
    if (text === "{" || text === "[") depth++;
    else if (text === "}" || text === "]") depth--;
  }
  return result + params.slice(copied);

  function newId(text: string): string | null {
    if (depth === 1) return keys[1] === "sessionId" ? sessionId : null;
    if (depth !== 2 || inUpdate === undefined || keys[1] !== "update" || !namesSession.has(keys[2] ?? "")) return null;
    return inUpdate(JSON.parse(text) as string);
  }
}
