// The rule language of permissions. Host, agents, page and `tool-calls` use it; none of them reads rules in its own way.
export { usualPrefix } from "./command-prefixes.ts";
export { listPrograms } from "./command-readings.ts";
export { decide, type Verdict } from "./decide.ts";
export { isHarmlessVariable, type Variable } from "./environment.ts";
export {
  describeEscalation,
  describeRights,
  type Escalation,
  type EscalationTarget,
  escalationKey,
  escalationText,
  findEscalation,
  readEscalation,
} from "./escalation.ts";
export { type Fields, isFields, readFields } from "./fields.ts";
export { hostsInCommand } from "./hosts-in-command.ts";
export { listPathClosures, type PathClosure } from "./path-closures.ts";
export { absolutePath, isWithin, pathName } from "./path-names.ts";
export { pathsInCommand } from "./paths-in-command.ts";
export {
  entryShape,
  formatRule,
  isRuleDecision,
  maxLiteralLength,
  maxPatternLength,
  maxProjectRules,
  maxWildcards,
  parseRule,
  type Rule,
  type RuleDecision,
  type RuleScope,
  type RuleTerm,
  readRuleEntry,
  ruleProblem,
  splitRule,
  type TermType,
  termTypes,
  type WrittenRule,
} from "./rule.ts";
export { decideSandboxed } from "./sandboxed-command.ts";
export { lineInShell, unwrapCommand } from "./shell-wrapper.ts";
export {
  type DescribedCall,
  describeSubject,
  followLinks,
  isNetworkOfCommand,
  isPlainCommand,
  listTargets,
  networkTool,
  type Place,
  parseHost,
  parseMcpToolName,
  quoteArguments,
  readCallCommand,
  readCommand,
  readInputFile,
  readToolName,
  type Subject,
} from "./subject.ts";
export { type RememberScope, type RuleToRemember, suggestRule } from "./suggest-rule.ts";
export { TurnRefusals } from "./turn-refusals.ts";
export { findLabelledRule, widerRules } from "./wider-rules.ts";
