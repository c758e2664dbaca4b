import type { UserId } from "@troupe/domain/Ids"
import { Context, Effect, Layer } from "effect"
import { MemoryRepo } from "../../src/Memory/MemoryRepo.ts"
import { PersonalData } from "../../src/Task/UseCase/PersonalData.ts"
import { Wire } from "../support/TaskWorld.ts"

export const withData = <A, E, R>(use: (data: PersonalData["Type"]) => Effect.Effect<A, E, R>) =>
  Layer.build(Layer.provide(PersonalData.layer, MemoryRepo.layer)).pipe(
    Effect.flatMap((context) => use(Context.get(context, PersonalData))),
    Effect.scoped
  )

export const erase = (user: UserId) => withData((data) => data.erase(user))

/** The tables with a row in which this word is. */
export const tablesWith = (word: string) =>
  Effect.gen(function*() {
    const { query } = yield* Wire
    const tables = yield* query<{ name: string }>(
      "select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace"
    )
    const found = yield* Effect.forEach(tables, ({ name }) =>
      Effect.map(
        query(`select from ${name} t where row_to_json(t)::text ~ $1 limit 1`, [`\\m${word}\\M`]),
        ({ length }) => length > 0 ? [name] : []
      ))
    return found.flat().toSorted()
  })
