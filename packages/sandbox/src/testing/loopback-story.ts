// For tests: a server in one session, and who reaches it. Run as a program it can be another user than the test.
// usage: loopback-story.ts ENFORCEMENT-AS-JSON
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { AgentEnforcement } from "../enforcement/enforcement.ts";
import { SessionLoopback } from "../loopback/session-loopback.ts";
import { type Program, startProgram } from "../run-command/start-program.ts";
import { SandboxedPlace } from "./sandboxed-place.ts";

/** A web server as a command: it says its port, and answers with its name. */
export async function startServer(
  place: SandboxedPlace,
  enforcement: AgentEnforcement,
  { loopback, name, port = 0 }: { readonly loopback: SessionLoopback; readonly name: string; readonly port?: number },
): Promise<{ readonly server: Program; readonly port: number }> {
  const script = `require("http").createServer((q,s)=>s.end("${name}")).listen(${port},"127.0.0.1",function(){console.log(this.address().port)})`;
  const server = startProgram({
    enforcement,
    policy: place.policy(),
    command: [process.execPath, "-e", script],
    cwd: place.folder.at("work"),
    loopback: await loopback.open(),
  });
  if ("message" in server) throw new Error(server.message);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.stdout.once("data", (data: Buffer) => resolve(Number(data)));
  void server.ended.then((end) => reject(new Error(`the server ended: ${JSON.stringify(end)}`)));
  return { server, port: await promise };
}

export async function loopbackStory(enforcement: AgentEnforcement) {
  using place = new SandboxedPlace();
  const session = (name: string) =>
    new SessionLoopback({ helper: enforcement.helper, socket: place.folder.at(`data/${name}`) });
  await using mine = session("mine");
  await using other = session("other");
  const { server, port } = await startServer(place, enforcement, { loopback: mine, name: "the job" });
  const url = `http://127.0.0.1:${port}/`;
  const ask = async (loopback: SessionLoopback | undefined, network: "on" | "off") => {
    const joined = loopback === undefined ? {} : { loopback: await loopback.open() };
    const command = `curl -s --max-time 5 ${url} || echo none`;
    return (await place.run({ enforcement, command, ...joined }, { network })).output.text.trim();
  };
  const order = `require("net").connect("${place.folder.at("data/mine")}").on("connect",()=>console.log("heard")).on("error",e=>console.log(e.code))`;
  const line = await mine.connect(port);
  line.end("GET / HTTP/1.0\r\n\r\n");
  const story = {
    nextCommand: await ask(mine, "off"),
    // Such as an MCP server.
    programWithNetwork: await ask(mine, "on"),
    strangers: [await ask(other, "off"), await ask(other, "on"), await ask(undefined, "on")],
    machine: await fetch(url).then(
      () => "reached",
      () => "none",
    ),
    // A command that knows where the holder takes orders.
    orders: (
      await place.run({ enforcement, command: [process.execPath, "-e", order], loopback: await mine.open() })
    ).output.text.trim(),
    host: (await text(line)).endsWith("the job"),
    wrongPort: await mine.connect(1).then(
      () => "reached",
      ({ message }: Error) => message,
    ),
    seen: mine.ports().map((each) => each.address === "127.0.0.1" && each.port === port),
    seenByOther: other.ports(),
  };
  server.kill();
  await server.ended;
  return { ...story, left: mine.ports() };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , enforcement = ""] = process.argv;
  process.stdout.write(JSON.stringify(await loopbackStory(JSON.parse(enforcement) as AgentEnforcement)));
}
