import { Schema } from "effect"

export const defaultLimit = 100

const wholeNumber = () => "a whole number from 1 to 1000"

/** The query parameters of every list: one page at a time, the next one in the `Link` header. */
export const page = <A, I>(cursor: Schema.Schema<A, I>) => ({
  limit: Schema.optional(
    Schema.NumberFromString.annotations({ message: wholeNumber }).pipe(Schema.int(), Schema.between(1, 1000))
      .annotations({
        jsonSchema: {
          type: "integer",
          minimum: 1,
          maximum: 1000,
          description: `Entries per page, 1 to 1000 (default ${defaultLimit}); a page of long ones ends after 4 MB`
        },
        message: wholeNumber
      })
  ),
  cursor: Schema.optional(
    cursor.annotations({
      jsonSchema: { type: "string", description: "Where the previous page ended; from its Link header" },
      message: () => ({
        message: "The cursor is not one that this service gave; start again without it.",
        override: true
      })
    })
  )
})

/** One page of a list where there is no `Link` header. */
export const pageOf = <A, I>(entry: Schema.Schema<A, I>) =>
  Schema.Struct({
    items: Schema.Array(entry),
    next: Schema.NullOr(Schema.String).annotations({ description: "The cursor of the next page; null: the last page" })
  })
