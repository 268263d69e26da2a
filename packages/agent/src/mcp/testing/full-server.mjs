// For tests: an MCP server with tools, prompts and resources that asks questions and reports progress. It answers only when the file that its
// first argument names is there (`-` for no file), and has as many more tools as its second argument says.
import { existsSync, watch } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";

const [, , gate = "-", more = "0"] = process.argv;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const inputSchema = { type: "object", properties: { subject: { type: "string", description: "What it is about" } } };
const tools = [
  { name: "ask", description: "Asks the person for a colour.", inputSchema: { type: "object", properties: {} } },
  { name: "steps", description: "Works in three steps.", inputSchema: { type: "object", properties: {} } },
  ...Array.from({ length: Number(more) }, (_, index) => ({
    name: `tool_${index}`,
    description: `Does work number ${index}. ${"It is described at length. ".repeat(10)}`,
    inputSchema,
  })),
];
const waiting = new Map();
let questions = 0;

const isOpen = () => gate === "-" || existsSync(gate);
const opened = new Promise((resolve) => {
  if (isOpen()) resolve();
  else watch(dirname(gate), () => isOpen() && resolve());
  // It may have come just before the watch began.
  if (isOpen()) resolve();
});

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) waiting.get(message.id)?.(message.result ?? message.error);
  else void opened.then(() => answer(message));
});

function elicit(message) {
  const id = `question-${++questions}`;
  const colour = { type: "string", title: "Colour" };
  const requestedSchema = { type: "object", properties: { colour }, required: ["colour"] };
  send({ id, method: "elicitation/create", params: { message, requestedSchema } });
  return new Promise((resolve) => waiting.set(id, resolve));
}

async function answer({ id, method, params }) {
  switch (method) {
    case "initialize":
      return send({
        id,
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {}, prompts: {}, resources: {} },
          serverInfo: { name: "full", version: "1" },
          instructions: "Ask politely.",
        },
      });
    case "tools/list":
      return send({ id, result: { tools } });
    case "tools/call":
      return send({ id, result: await call(params) });
    case "prompts/list":
      return send({
        id,
        result: {
          prompts: [
            {
              name: "greet",
              description: "Greets\u001b[31m \u200bsomeone",
              arguments: [{ name: "who", required: true }],
            },
          ],
        },
      });
    case "prompts/get":
      return send({
        id,
        result: { messages: [{ role: "user", content: { type: "text", text: `Greet ${params.arguments.who}.` } }] },
      });
    case "resources/list":
      return send({ id, result: { resources: [{ uri: "note://one", name: "The first note" }] } });
    case "resources/read":
      return send({ id, result: { contents: [{ uri: params.uri, text: "The note says hello." }] } });
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: "no such method" } });
  }
}

async function call({ name, arguments: args, _meta }) {
  if (name === "ask") {
    const count = Number(args.times ?? 1);
    const answers = [];
    // All in the same moment: a flood.
    for (const each of await Promise.all(Array.from({ length: count }, () => elicit("Which colour?"))))
      answers.push(each.action === "accept" ? each.content.colour : each.action);
    return text(answers.join(" "));
  }
  if (name === "steps")
    for (let progress = 1; progress <= 3; progress++)
      send({ method: "notifications/progress", params: { progressToken: _meta?.progressToken, progress, total: 3 } });
  if (args.lines !== undefined)
    return text(Array.from({ length: args.lines }, (_, index) => `line ${index + 1}`).join("\n"));
  return text(`${name} is done`);
}
