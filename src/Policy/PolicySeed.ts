import * as FileSystem from "@effect/platform/FileSystem"
import { defaultPolicy, Policy } from "@troupe/domain/Policy"
import { plural } from "@troupe/domain/Text"
import { Effect, Layer, Option, ParseResult, Schema } from "effect"
import { decodeText } from "../Runtime/TextDecoding.ts"
import { Policies } from "./Policies.ts"

/** POLICY_FILE can't be used. */
export class PolicySeedRefused extends Schema.TaggedError<PolicySeedRefused>()("PolicySeedRefused", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `POLICY_FILE is ${JSON.stringify(this.file)}, which can't be used: ${this.reason}`
  }
}

const { classes, preset, rules } = Policy.fields

const decode = Schema.decodeUnknown(
  Schema.parseJson(Schema.Struct({
    preset: Schema.optionalWith(preset, { default: () => defaultPolicy.preset }),
    rules: Schema.optionalWith(rules, { default: () => defaultPolicy.rules }),
    classes: Schema.optionalWith(classes, { default: () => defaultPolicy.classes })
  })),
  { onExcessProperty: "error" }
)

/** Saves the policy of the file if none was ever saved. An invalid file stops the start. */
export const layer = (
  given: Option.Option<string>
): Layer.Layer<never, PolicySeedRefused, Policies | FileSystem.FileSystem> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const policies = yield* Policies
    if (Option.isNone(given) || policies.current().revision > 0) return
    const file = given.value
    const refused = (reason: string) => new PolicySeedRefused({ file, reason })
    const text = yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.readFile(file)).pipe(
      Effect.mapBoth({ onFailure: () => refused("it can't be read"), onSuccess: (bytes) => decodeText(bytes) })
    )
    const policy = yield* Effect.mapError(decode(text), (error) => refused(describeError(error)))
    // Another process may have saved it first.
    yield* Effect.ignore(policies.save(policy, 0, null))
    yield* Effect.logInfo(`Imported a policy of ${plural(policy.rules.length, "rule")} from ${file}`)
  }))

const describeError = (error: ParseResult.ParseError): string => {
  const [first] = ParseResult.ArrayFormatter.formatErrorSync(error)
  return first === undefined || first.path.length === 0
    ? "it must be JSON of the form {\"preset\": \"balanced\", \"rules\": [...], \"classes\": {...}}"
    : `${first.path.map(String).join(".")}: ${first.message.slice(0, 300)}`
}
