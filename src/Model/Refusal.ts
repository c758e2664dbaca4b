import type { ModelError } from "./Model.ts"

/** The model won't have these very texts; others may be asked for. A wrong key or address has another status. */
export const refusesTexts = (error: ModelError): boolean =>
  error._tag === "ContextOverflow" || (error._tag === "ModelRejected" && [400, 413, 422].includes(error.status))
