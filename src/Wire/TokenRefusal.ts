import { Option, Schema } from "effect"

const Refusal = Schema.parseJson(
  Schema.Struct({ error: Schema.NonEmptyString, error_description: Schema.optional(Schema.String) })
)
const decode = Schema.decodeOption(Refusal)
const encode = Schema.encodeSync(Refusal)

/** What some authorization servers call errors that RFC 6749, section 5.2, has a name for. */
const standard: Readonly<Record<string, string>> = {
  bad_refresh_token: "invalid_grant",
  bad_verification_code: "invalid_grant",
  invalid_code: "invalid_grant",
  invalid_refresh_token: "invalid_grant",
  bad_client_secret: "invalid_client",
  incorrect_client_credentials: "invalid_client",
  invalid_client_id: "invalid_client"
}

/** The error in the answer to a request for tokens, with its standard name; it may come with a status of 200. Null: there is none. */
export const refusalIn = (text: string): string | null =>
  Option.match(decode(text), {
    onNone: () => null,
    onSome: ({ error, error_description: said = error }) =>
      encode({ error: Object.hasOwn(standard, error) ? standard[error] ?? error : error, error_description: said })
  })
