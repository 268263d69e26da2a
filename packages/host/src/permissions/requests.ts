// Answers requests about questions to the person, and about rules.
import type { Register } from "@signalbox/tinyvex";
import type { SomeQueries, SomeRequests } from "../data/handlers.ts";
import type { PermissionBroker } from "./broker.ts";
import type { ElicitationBroker } from "./elicitation-broker.ts";
import { requireShownElicitation, requireShownPermission } from "./require-shown.ts";
import type { RuleStore } from "./rule-store.ts";
import { testRule } from "./test-rule.ts";

interface Services {
  readonly broker: PermissionBroker;
  readonly elicitations: ElicitationBroker;
  readonly rules: RuleStore;
  readonly register: Register;
}

export const permissionHandlers = {
  "permission.respond": async (params, { broker, register }, caller) => {
    await requireShownPermission(register, params, caller);
    broker.respond({
      threadId: params.thread_id,
      permissionId: params.permission_id,
      optionId: params.option_id,
      remember: params.remember,
      rule: params.rule,
      comment: params.comment,
      also: params.also,
      decidedBy: params.decided_by,
    });
    await register.settled(params.thread_id);
  },
  "elicitation.respond": async (params, { elicitations, register }, caller) => {
    await requireShownElicitation(register, params, caller);
    const { thread_id, elicitation_id, action, content, decided_by } = params;
    elicitations.respond(thread_id, elicitation_id, action, content, decided_by);
    await register.settled(thread_id);
  },
  "rules.save": ({ decision, match, scope = null }, { rules, broker }) => {
    rules.remember({ decision, match, scope });
    broker.settleByRules();
  },
  "rules.delete": ({ rule_id }, { rules }) => {
    rules.remove(rule_id);
  },
} satisfies SomeRequests<Services>;

export const ruleQueryHandlers = {
  "rules.list": (_args, { rules }) => ({ rows: rules.list() }),
  "rules.test": async ({ rule, days }, { register }) => ({
    rows: [await testRule((name, args) => register.query(name, args), rule, days ?? undefined)],
  }),
} satisfies SomeQueries<Services>;
