import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import type { MemoryRecord } from "@troupe/domain/Memory"
import { Effect, Option, Schema } from "effect"
import { connection, optional, userOption } from "./Arguments.ts"
import { wrongUsage } from "./CommandFailed.ts"
import { list, safeLine } from "./Format.ts"
import { memoryIdOf } from "./Ids.ts"
import { Screen, writeDone, writeList } from "./Screen.ts"
import { call, forService, ownerOf, segment } from "./Service.ts"

export const memoryTable = list<MemoryRecord>(
  ["ID", ({ id }) => id, "dim"],
  ["CHANGED", ({ updated_at }) => updated_at.slice(0, 10), "dim"],
  ["MEMORY", ({ content, tags }) => safeLine(tags.length === 0 ? content : `[${tags.join(", ")}] ${content}`, 300)]
)

const exportAll = Command.make("export", { ...connection, user: userOption }, ({ user }) =>
  Effect.gen(function*() {
    const screen = yield* Screen
    const owner = yield* ownerOf(user)
    const lines = yield* call(({ memories }) => memories.export({ path: { user_id: segment(owner) } }))
    for (const line of lines.split("\n").filter((line) => line !== "")) {
      yield* screen.jsonLine(yield* Effect.orDie(Schema.decode(Schema.parseJson())(line)))
    }
  })).pipe(forService("Writes all memories, one JSON object a line"))

const remove = Command.make(
  "delete",
  {
    ...connection,
    user: userOption,
    all: Options.boolean("all").pipe(Options.withDescription("All memories of the user")),
    ids: Args.text({ name: "memory" }).pipe(
      Args.withDescription("Ids of the memories, or the beginnings of them"),
      Args.repeated
    )
  },
  ({ all, ids, json, user }) =>
    Effect.gen(function*() {
      if (all === ids.length > 0) {
        return yield* wrongUsage("Name the memories to delete, or all with --all.")
      }
      const user_id = segment(yield* ownerOf(user))
      const deleted = yield* Effect.forEach(ids, memoryIdOf(user_id))
      yield* all
        ? call(({ memories }) => memories.removeAll({ path: { user_id } }))
        : Effect.forEach(
          deleted,
          (id) => call(({ memories }) => memories.remove({ path: { user_id, memory_id: segment(id) } })),
          { discard: true }
        )
      yield* writeDone({ deleted: all ? "all" : deleted }, { json, note: "Deleted." })
    })
).pipe(forService("Deletes memories; agents no longer find them"))

export const memory = Command.make(
  "memory",
  {
    ...connection,
    user: userOption,
    query: optional(
      Options.withAlias(Options.text("query"), "q"),
      "Only memories with this text in them or in a tag"
    )
  },
  ({ json, query, user }) =>
    Effect.gen(function*() {
      const owner = yield* ownerOf(user)
      const found = yield* call(({ memories }) =>
        memories.list({
          path: { user_id: segment(owner) },
          urlParams: { limit: 1000, q: Option.getOrUndefined(query) }
        })
      )
      yield* writeList(found, {
        json,
        table: memoryTable,
        none: Option.isNone(query) ? "No memories." : "None of the newest 4,000 memories matches."
      })
    })
).pipe(forService("Lists what agents remember of a user, newest first"), Command.withSubcommands([exportAll, remove]))
