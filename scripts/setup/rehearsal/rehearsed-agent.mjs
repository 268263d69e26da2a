// Starts our agent for a rehearsal and speaks ACP with it. What it compiles until its end is kept.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { program } from "../paths.mjs";

/** A rehearsal takes a second on a machine that does nothing else. */
const timeoutMs = 60_000;

export class RehearsedAgent {
  #process;
  #ended;
  #printed = "";
  #answers = new Map();

  constructor(env) {
    const before = ["--expose-internals", "--require", join(import.meta.dirname, "keep-compiled.cjs")];
    this.#process = spawn(process.execPath, [...before, program, "agent"], { env, timeout: timeoutMs });
    this.#process.stderr.setEncoding("utf8").on("data", (text) => (this.#printed += text));
    createInterface({ input: this.#process.stdout }).on("line", (line) => {
      const { id, result, error } = JSON.parse(line);
      const answer = this.#answers.get(id);
      if (error === undefined) answer?.resolve(result);
      else answer?.reject(new Error(error.message));
    });
    this.#ended = new Promise((resolve) => this.#process.on("close", resolve));
  }

  request(method, params) {
    const id = this.#answers.size;
    const answer = Promise.withResolvers();
    this.#answers.set(id, answer);
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return Promise.race([answer.promise, this.#ended.then(() => Promise.reject(new Error(this.#printed)))]);
  }

  async end() {
    this.#process.stdin.end();
    await this.#ended;
    if (!/^kept [1-9]/m.test(this.#printed)) throw new Error(`nothing was kept\n${this.#printed}`);
  }
}
