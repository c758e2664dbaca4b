import { Schema } from "effect"

/** A text of at most `max` characters that is not blank. */
export const boundedText = (max: number, message = `1 to ${max.toLocaleString("en")} characters, not blanks alone`) =>
  Schema.String.pipe(
    Schema.filter((text) => text.length <= max && text.trim() !== "", {
      message: () => message,
      jsonSchema: { minLength: 1, maxLength: max, pattern: "\\S" }
    })
  )
