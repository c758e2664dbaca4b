import { assert, it } from "@effect/vitest"
import type { TaskQuery } from "@troupe/api/TaskFilter"
import { TaskId, UserId } from "@troupe/domain/Ids"
import { TaskStatus, TaskType } from "@troupe/domain/Task"
import { Effect, Layer } from "effect"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Prepared, PreparedStatements } from "../../src/Runtime/Database/PreparedStatements.ts"
import { SearchStatements } from "../../src/Runtime/Database/SearchStatements.ts"
import { TaskSignals } from "../../src/Task/Events/TaskSignals.ts"
import { TaskRepo } from "../../src/Task/TaskRepo.ts"

const source = fileURLToPath(new URL("../../src", import.meta.url))

/** The names in the declarations of all statements but listings, whose names are put together. */
const declared = Effect.promise(async () => {
  const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith(".ts"))
  const texts = await Promise.all(files.map((file) => readFile(join(source, file), "utf8")))
  return texts.flatMap((text) => {
    const names = Array.from(
      text.matchAll(/: Prepared (?:=|=> \()\s*\{\s*name: (["`])([^]*?)\1,/g),
      ([, , name = ""]) => name
    )
    assert.strictEqual(
      names.length,
      text.match(/: Prepared (?:=|=> \()\s*\{/g)?.length ?? 0,
      "each declaration begins with its name"
    )
    return names.flatMap(alternatives)
  })
})

/** Every name that a template of the form `a${condition ? "b" : "c"}` can give. */
const alternatives = (template: string): ReadonlyArray<string> => {
  const choice = /\$\{\s*\w+ \? "(\w*)" : "(\w*)"\s*\}/.exec(template)
  if (choice === null) return [template]
  return choice.slice(1).flatMap((part) => alternatives(template.replace(choice[0], part)))
}

const maybe = <A>(value: A): ReadonlyArray<A | undefined> => [undefined, value]
const id = TaskId.make("019a0000-0000-7000-8000-000000000001")
const user = UserId.make("ann")

function* filters(): Generator<TaskQuery> {
  for (const status of [undefined, ...TaskStatus.literals]) {
    for (const task_type of [undefined, ...TaskType.literals]) {
      for (const creator of maybe(user)) {
        for (const assignee of maybe(user)) {
          for (const webhook_type of maybe("sms")) {
            for (const parent_task_id of maybe(id)) {
              for (const q of maybe("words")) {
                for (const cursor of maybe(id)) {
                  for (const include_archived of [true, false]) {
                    yield {
                      status,
                      task_type,
                      creator,
                      assignee,
                      webhook_type,
                      parent_task_id,
                      q,
                      cursor,
                      include_archived,
                      limit: 1
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}

/** The statement of every listing that can be asked for. */
const listings = Effect.gen(function*() {
  const seen: Array<Prepared> = []
  const repo = yield* Effect.provide(
    TaskRepo,
    Layer.provide(TaskRepo.layer, [
      Layer.mock(PreparedStatements, {}),
      Layer.succeed(SearchStatements, {
        execute: (statement) =>
          Effect.sync(() => {
            seen.push(statement)
            return []
          })
      }),
      TaskSignals.layerLocal
    ])
  )
  for (const filter of filters()) yield* repo.list(filter)
  return seen
})

it.effect("no two statements have one name, and PostgreSQL cuts none", () =>
  Effect.gen(function*() {
    const textOf = new Map<string, string>()
    for (const { name, text } of yield* listings) {
      assert.strictEqual(textOf.get(name) ?? text, text, `two statements are called ${name}`)
      textOf.set(name, text)
    }
    const names = [...textOf.keys(), ...yield* declared]
    assert.isAbove(names.length, 500)
    assert.deepStrictEqual(names.filter((name, index) => names.indexOf(name) !== index), [])
    assert.deepStrictEqual(names.filter((name) => !/^[a-z_A-Z]{1,63}$/.test(name)), [])
  }))
