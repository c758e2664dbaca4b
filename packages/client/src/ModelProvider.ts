export { choiceOf, storedModelProviders } from "@troupe/domain/ModelProvider"
