import type { SearchUnfinished } from "@troupe/domain/Search"
import type { ModelError } from "../Model/Model.ts"

/** The model won't have what it was given; a wrong key or address would be told by another status. */
export const refusesTexts = (error: ModelError | SearchUnfinished): boolean =>
  error._tag === "ContextOverflow" || (error._tag === "ModelRejected" && [400, 413, 422].includes(error.status))
