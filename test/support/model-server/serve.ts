// The scripted model as a process of its own, so that it does not share a processor with what is measured. Prints its address; the one
// argument names the script, below.
import { ModelServer, type Script } from "./model-server.ts";

const scripts: Readonly<Record<string, Script>> = {
  /** Says hello. */
  hello: () => ({ text: "Hello." }),
  /** Fifty calls, one for each request: read a file and run `true` in turn; then an end. */
  calls: ({ messages }) => {
    const done = messages.filter(({ toolResults }) => toolResults !== undefined).length;
    if (done >= 50) return { text: "Done." };
    return {
      toolCalls: [
        done % 2 === 0 ? { name: "read", input: { path: "a.txt" } } : { name: "bash", input: { command: "true" } },
      ],
    };
  },
  /** Twenty thousand tokens, as fast as they can be taken. */
  flood: () => ({ text: flood }),
};

const flood = Array.from({ length: 20_000 }, (_, index) => `token${index} `);

const script = scripts[process.argv[2] ?? ""];
if (script === undefined) throw new Error(`usage: serve.ts ${Object.keys(scripts).join("|")}`);
const server = await ModelServer.start(script);
process.stdout.write(`${server.url}\n`);
process.stdin.on("end", () => process.exit(0)).resume();
