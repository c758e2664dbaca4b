import { Schema } from "effect"

/** A text of a request; blank texts count as empty. */
export const text = (max: number, description: string) =>
  Schema.String.pipe(
    Schema.filter((given) => given.length <= max && given.trim() !== "", {
      message: () => `1 to ${max.toLocaleString("en")} characters, not blanks alone`,
      jsonSchema: { minLength: 1, maxLength: max, pattern: "\\S" }
    })
  ).annotations({ description })
