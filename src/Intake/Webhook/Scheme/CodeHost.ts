import { Option } from "effect"
import { parseJson } from "../WebhookPayload.ts"
import { at, type Fields, firstOf, inSentence, type KnownType } from "./Scheme.ts"

export const codeHost: KnownType = {
  describe: (type, given) => {
    const fields = unwrapped(given)
    const sender = inSentence(firstOf(at(fields, "sender", "login"), at(fields, "pusher", "name")))
    const repository = inSentence(at(fields, "repository", "name"))
    const action = at(fields, "action")
    const commits = at(fields, "commits")
    if (action === "opened" && at(fields, "pull_request") !== undefined) {
      return `${type} pull request opened by ${sender} in ${repository}: ${
        inSentence(at(fields, "pull_request", "title"))
      }`
    }
    return action === undefined && Array.isArray(commits)
      ? `${type} push by ${sender} to ${repository} (${commits.length} commits)`
      : `${type} ${inSentence(action)} event by ${sender} in repository ${repository}`
  }
}

/** A code host may send its JSON as the field `payload` of a form. */
const unwrapped = (fields: Fields): Fields => {
  const inner = fields["payload"]
  if (typeof inner !== "string" || !("raw_body" in fields)) return fields
  const value = Option.getOrNull(parseJson(inner))
  return typeof value === "object" && value !== null ? { ...value } : fields
}
