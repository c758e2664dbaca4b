import { Schema } from "effect"

const Mistake = Schema.Struct({
  name: Schema.String,
  /** What was given: null when nothing was, `<redacted>` when it is a secret. */
  given: Schema.NullOr(Schema.String),
  expected: Schema.String
})

/** One setting that can't be used, and what it must look like. */
export type Mistake = typeof Mistake.Type

const sentence = ({ expected, given, name }: Mistake) =>
  `  ${name} ${given === null ? "is not set" : `is ${JSON.stringify(given)}`}; it must be ${expected}`

/** The service can't start with these settings; lists every mistake, and never a secret. */
export class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  mistakes: Schema.NonEmptyArray(Mistake)
}) {
  override get message() {
    return ["These settings can't be used:", ...this.mistakes.map(sentence)].join("\n")
  }
}
