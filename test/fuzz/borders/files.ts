// Files that a stranger may have written: config.json of a project, rules, histories of other tools, the registry of agents, the log of another machine.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { ConfigError, loadConfig } from "@signalbox/config";
import { isJsonObject, isNestedTooDeep } from "@signalbox/protocol";
import { decide, describeSubject, formatRule, parseRule, type Rule, type RuleDecision } from "@signalbox/rules";
import { changed } from "../../../packages/config/src/edit-config.ts";
import { parseConfig } from "../../../packages/config/src/load-config.ts";
import { findFormat } from "../../../packages/history-import/src/history-formats.ts";
import { defineListedAgents } from "../../../packages/host/src/agents/acp-registry/listed-agents.ts";
import { readRegistry } from "../../../packages/host/src/agents/acp-registry/registry-format.ts";
import { RuleStore } from "../../../packages/host/src/permissions/rule-store.ts";
import { openRegister } from "../../../packages/tinyvex/src/open-register.ts";
import { RegisterError } from "../../../packages/tinyvex/src/register.ts";
import { assert, attempt, type OpenBorder } from "../border.ts";

/** A wrong file is refused with a ConfigError, of the user or of a project. A change of one key changes nothing else. */
export const openConfig: OpenBorder = async (folder) => {
  const project = join(folder, "project");
  mkdirSync(join(project, ".signalbox"), { recursive: true });
  const own = join(folder, "config.json");
  return {
    check(input) {
      const text = input.toString("utf8");
      for (const file of [own, join(project, ".signalbox/config.json")]) writeFileSync(file, input);
      attempt(() => loadConfig(own).inProject(project), ConfigError);
      const read = attempt(() => parseConfig(text, own), ConfigError);
      if (read === undefined) return;
      const after = parseConfig(changed(text, { path: ["agent_idle_s"], value: 77 }), own);
      assert(isDeepStrictEqual(after, { ...read, agent_idle_s: 77 }), "a change of one key changes nothing else");
    },
  };
};

/** Each line is a rule, the last one a command. A rule keeps its meaning when it is written again, and no rule outweighs one that denies. */
export const openRules: OpenBorder = async (folder) => {
  const file = join(folder, "permissions.json");
  return {
    check(input) {
      const lines = input.toString("utf8").split("\n");
      const command = lines.pop() ?? "";
      const rules = lines.flatMap((line): readonly Rule[] => {
        const [, decision = "allow", match = line] = /^(allow|ask|deny) (.*)$/s.exec(line) ?? [];
        const terms = parseRule(match);
        if (terms === undefined) return [];
        assert(isDeepStrictEqual(parseRule(formatRule(terms)), terms), "a rule that is written again is the same rule");
        return [{ decision: decision as RuleDecision, terms, scope: null }];
      });
      const place = { agentId: "a", threadId: "t", cwd: "/w", home: "/home/me" };
      const calls = [
        { kind: "execute", title: command, rawInput: { command } },
        { kind: "edit", title: command, locations: [{ path: command }] },
        { kind: "fetch", title: command, rawInput: { url: command } },
      ];
      for (const call of calls) {
        const subject = describeSubject(call, place);
        const { decision } = decide(rules, subject);
        assert(["allow", "ask", "deny"].includes(decision), "every call gets a decision");
        if (rules.every((rule) => rule.decision !== "allow"))
          assert(decision !== "allow", "nothing is allowed without a rule that allows");
        const denied = decide([...rules, { decision: "deny", terms: [{ type: "all" }], scope: null }], subject);
        assert(denied.decision === "deny", "a rule that denies everything denies");
      }
      writeFileSync(file, input);
      const store = new RuleStore(file, () => {});
      if (!/"allow"/.test(input.toString("utf8")))
        assert(
          store.list().every(({ decision }) => decision !== "allow"),
          "a damaged file allows nothing",
        );
    },
  };
};

/** A history is translated or refused, line by line, and the register stores the entries. */
export const openHistories: OpenBorder = async (folder) => {
  const register = await openRegister({ path: join(folder, "register.db") });
  const thread = (await register.createThread({ agent_id: "fuzzed", cwd: "/w" })).id;
  const file = join(folder, "rollout-2026-01-01T00-00-00-11111111-1111-1111-1111-111111111111.jsonl");
  return {
    async check(input) {
      const lines = input
        .toString("utf8")
        .split("\n")
        .flatMap((line) => {
          const value: unknown = attempt(() => JSON.parse(line), SyntaxError);
          return isJsonObject(value) && !isNestedTooDeep(value) ? [value] : [];
        });
      async function* read() {
        yield* lines;
      }
      writeFileSync(file, input);
      for (const source of ["claude", "codex"] as const) {
        const format = findFormat(source);
        const head = await format.readHead(file, read());
        if (head === null) continue;
        const translator = format.createTranslator(head);
        const entries = [...lines.flatMap((line) => translator.translate(line)), ...translator.end()];
        for (const entry of entries) assert(Number.isFinite(entry.at), "every entry has a time");
        for (const entry of entries) register.append(thread, entry);
      }
      await register.settled(thread);
    },
    close: () => register.close(),
  };
};

/** Agents that do not fit are left out, and no word of the file becomes a flag or a path of a command line. */
export const openRegistry: OpenBorder = async (folder) => ({
  check(input) {
    const value: unknown = attempt(() => JSON.parse(input.toString("utf8")), SyntaxError);
    const listed = value === undefined ? undefined : attempt(() => readRegistry(value), Error);
    if (listed === undefined) return;
    for (const platform of ["linux", "darwin"] as const) {
      for (const { installFolder, plan } of defineListedAgents(listed, folder, new Set(), { platform, arch: "x64" })) {
        assert(
          installFolder?.startsWith(`${folder}/`) === true && !installFolder.includes(".."),
          "an agent is installed into its own folder",
        );
        if (plan !== undefined && "packages" in plan)
          assert(
            plan.packages.every((name) => /^[@\w~]/.test(name)),
            "a package is never a flag, an address or a folder",
          );
      }
    }
  },
});

/** The log of another machine, as anyone who may write to the shared database could have written it: it is stored or refused as a whole. */
export const openSharedLog: OpenBorder = async (folder) => {
  const register = await openRegister({ path: join(folder, "copies.db"), isCopy: true });
  let count = 0;
  return {
    async check(input) {
      const events = input
        .toString("utf8")
        .split("\n")
        .flatMap((line, index) => {
          const value: unknown = attempt(() => JSON.parse(line), SyntaxError);
          if (!isJsonObject(value) || typeof value.kind !== "string" || typeof value.payload !== "string") return [];
          const refs = Array.isArray(value.refs) ? value.refs.filter((each) => typeof each === "string") : [];
          return [
            { seq: index + 1, ts: Number(value.ts) || 0, kind: value.kind, payload: value.payload, refs, blobs: [] },
          ];
        });
      const thread = `copy-${++count}`;
      try {
        await register.addCopies(thread, events);
        await register.snapshot(thread);
      } catch (error) {
        if (!(error instanceof RegisterError)) throw error;
        assert(error.code !== "damaged", "the register stays whole");
      }
    },
    close: () => register.close(),
  };
};
