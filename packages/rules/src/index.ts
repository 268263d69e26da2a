// The rule language of permissions. Host, agents, page and `tool-calls` use it; none of them reads rules in its own way.
export { usualPrefix } from "./command-prefixes.ts";
export { decide, type Verdict } from "./decide.ts";
export { decideEnclosed } from "./enclosed-command.ts";
export { isHarmlessVariable, type Variable } from "./environment.ts";
export {
  describeEscalation,
  type Escalation,
  type EscalationTarget,
  escalationIn,
  escalationKey,
  escalationText,
  readEscalation,
  rightsOf,
} from "./escalation.ts";
export { type Fields, fieldsOf, isFields } from "./fields.ts";
export { hostsInCommand } from "./hosts-in-command.ts";
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
  type TermType,
  termTypes,
  type WrittenRule,
} from "./rule.ts";
export { type RememberScope, type RuleToRemember, ruleFor } from "./rule-for.ts";
export { lineInShell, unwrapCommand } from "./shell-wrapper.ts";
export {
  commandIn,
  commandOf,
  type DescribedCall,
  followLinks,
  hostOf,
  isNetworkOfCommand,
  isPlainCommand,
  networkTool,
  type Place,
  parseMcpToolName,
  quoteArguments,
  type Subject,
  subjectOf,
  targetsIn,
  toolNameIn,
} from "./subject.ts";
export { widerRules } from "./wider-rules.ts";
