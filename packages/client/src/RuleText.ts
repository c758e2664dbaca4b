export { ruleText } from "@troupe/domain/RuleText"
