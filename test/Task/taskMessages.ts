import type { TaskId } from "@troupe/domain/Ids"
import { viewOf } from "@troupe/domain/Message"
import { Effect, Option } from "effect"
import { Tasks } from "../../src/Task/Tasks.ts"
import { type ScriptedModel } from "../support/ScriptedModel.ts"

export const tell = (id: TaskId, text: string) =>
  Effect.flatMap(Tasks, (tasks) => tasks.message(id, text, Option.none())).pipe(Effect.orDie)

/** What the model was sent by its last call. */
export const lastRequest = ({ requests }: ScriptedModel) =>
  (requests.at(-1)?.messages ?? []).map(viewOf).map(({ content, role }) => [role, content])
