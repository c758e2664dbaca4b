import { Schema } from "effect"

/** ISO 8601 UTC with milliseconds and `Z`, as every time on the wire. */
export const Timestamp = Schema.String.annotations({
  description: "ISO 8601 UTC, milliseconds, Z",
  jsonSchema: { format: "date-time" }
})
