// Keeps the requests between the host and one agent that have no answer yet: which, in which direction, since when.
interface UnansweredRequest {
  readonly direction: "to_agent" | "from_agent";
  readonly method: string;
  /** A path or a terminal, for example; null if it is not known. */
  readonly subject: string | null;
  readonly since: number;
}

const maxSubjectLength = 200;

export class UnansweredRequests {
  readonly #open = new Set<UnansweredRequest>();

  /** The oldest first. */
  get all(): readonly UnansweredRequest[] {
    return [...this.#open];
  }

  /** Keeps the request until the work is done. */
  async during<Result>(
    direction: UnansweredRequest["direction"],
    method: string,
    params: unknown,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const request = { direction, method, subject: findSubject(params), since: Date.now() };
    this.#open.add(request);
    try {
      return await work();
    } finally {
      this.#open.delete(request);
    }
  }
}

/** The field that says most, of those that requests have. */
function findSubject(params: unknown): string | null {
  const fields: Readonly<Record<string, unknown>> = { ...Object(params) };
  const toolCall: Readonly<Record<string, unknown>> = { ...Object(fields.toolCall) };
  const found = [fields.path, fields.command, fields.terminalId, toolCall.title, toolCall.toolCallId].find(
    (value) => typeof value === "string",
  );
  return typeof found === "string" ? found.slice(0, maxSubjectLength) : null;
}
