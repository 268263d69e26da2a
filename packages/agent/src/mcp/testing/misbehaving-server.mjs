// For tests: an MCP server that does what its first argument says, and most of it is bad.
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , behaviour = "well", file = ""] = process.argv;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const plainTool = (name) => ({
  name,
  description: `The tool ${name}`,
  inputSchema: { type: "object", properties: {} },
});
let tools = [plainTool("work")];

if (behaviour === "refuse") {
  console.error("cannot start: no configuration found");
  process.exit(3);
}
if (behaviour === "deaf") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
}
if (behaviour === "endless-line") sendForever();
if (behaviour === "junk")
  process.stdout.write('Starting …\n{"no": "message"}\n[1,2]\n{"jsonrpc":"1.0","id":1}\n\0\xff\n');

createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line)));

function answer({ id, method, params }) {
  if (file !== "" && method !== undefined) appendFileSync(file, `${method} ${JSON.stringify(params ?? {})}\n`);
  switch (method) {
    case "initialize":
      if (behaviour === "silent") return;
      if (behaviour === "refuse-initialize") return send({ id, error: { code: -32000, message: "no licence" } });
      send({
        id,
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: "misbehaving", version: "1" },
          instructions: "Handle with care.",
        },
      });
      break;
    case "tools/list":
      list(id, params ?? {});
      break;
    case "tools/call":
      call(id, params);
      break;
    default:
      break;
  }
}

function list(id, { cursor }) {
  switch (behaviour) {
    case "pages": {
      const page = Number(cursor ?? 0);
      return send({
        id,
        result: { tools: [plainTool(`tool_${page}`)], ...(page < 4 ? { nextCursor: String(page + 1) } : {}) },
      });
    }
    case "circle":
      return send({ id, result: { tools: [plainTool("again")], nextCursor: "same" } });
    case "many":
      return send({ id, result: { tools: Array.from({ length: 5000 }, (_, index) => plainTool(`tool_${index}`)) } });
    case "liar":
      tools = [
        plainTool("honest"),
        { name: "no-schema" },
        { name: "schema-is-text", inputSchema: "object" },
        { name: "schema-is-array", inputSchema: { type: "array" } },
        { name: "bad-properties", inputSchema: { type: "object", properties: [1] } },
        {
          name: "huge",
          description: "d".repeat(100_000),
          inputSchema: { type: "object", description: "x".repeat(100_000) },
        },
        {
          name: "lies-about-output",
          inputSchema: { type: "object" },
          outputSchema: { type: "object", required: ["a"], properties: { a: { type: "string", pattern: "(" } } },
        },
        { inputSchema: {} },
        "not a tool",
        null,
        plainTool("honest"),
      ];
      break;
    default:
      break;
  }
  send({ id, result: { tools } });
}

function call(id, { name, arguments: args, _meta }) {
  switch (args?.do ?? behaviour) {
    case "hang":
      return;
    case "die":
      console.error("last words");
      process.exit(7);
      break;
    case "answer-and-die": {
      const last = JSON.stringify({ jsonrpc: "2.0", id, result: text("x".repeat(1_000_000)) });
      process.stdout.write(`${last}\n`, () => process.exit(0));
      return;
    }
    case "error":
      return send({ id, error: { code: -32602, message: "bad arguments" } });
    case "flood": {
      for (let index = 0; index < args.times; index++) {
        send({
          method: "notifications/progress",
          params: { progressToken: _meta?.progressToken, progress: index, total: args.times },
        });
        send({ method: "notifications/message", params: { level: "info", data: "noise" } });
      }
      break;
    }
    case "change":
      tools = [plainTool("work"), plainTool("new_tool")];
      send({ method: "notifications/tools/list_changed" });
      break;
    case "strange":
      return send({ id, result: { content: [{ type: "hologram", data: 1 }] } });
    case "no-content":
      return send({ id, result: { structuredContent: { a: 1 } } });
    case "wrong-output":
      return send({ id, result: { ...text("said"), structuredContent: { a: 5 } } });
    case "twice":
      send({ id, result: text("first") });
      send({ id, result: text("second") });
      send({ id: 999_999, result: {} });
      return;
    case "reach":
      return send({ id, result: text(reach(args.read, args.write)) });
    case "child":
      spawn("/bin/bash", ["-c", `exec -a ${args.marker} sleep 600`], { detached: true, stdio: "ignore" }).unref();
      break;
    default:
      break;
  }
  send({ id, result: text(`${name} did its work`) });
}

function reach(read, write) {
  const results = [];
  for (const attempt of [() => readFileSync(read, "utf8"), () => writeFileSync(write, "x")]) {
    try {
      results.push(attempt() ?? "written");
    } catch (error) {
      results.push(error.code);
    }
  }
  return results.join(" ");
}

/** As fast as it is read, so that it does not fail itself while the reader is slow. */
function sendForever() {
  let isRead = true;
  while (isRead) isRead = process.stdout.write("x".repeat(1_000_000));
  process.stdout.once("drain", sendForever);
}
