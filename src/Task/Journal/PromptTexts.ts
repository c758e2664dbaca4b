import { Effect, Option, Schema } from "effect"
import { createHash } from "node:crypto"
import type { PromptTextPort } from "../../Agent/AgentDependencies.ts"
import { asService, outsideTransaction } from "../../Runtime/Database/Isolation.ts"
import { prepared, PreparedStatements } from "../../Runtime/Database/PreparedStatements.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { storable } from "../../Runtime/Database/StorableText.ts"

/** Number of cached texts, of some kilobytes each. A text that has left the cache is stored again and keeps its number. */
const maxKnown = 500

/** The texts of prompts, in a table of their own: a text is written once, by the first process that sends it. */
export const makePromptTexts: Effect.Effect<PromptTextPort, never, PreparedStatements> = Effect.map(
  PreparedStatements,
  ({ execute }) => {
    const known = new Map<string, number>()
    const learn = (text: string, number: number) => {
      known.set(text, number)
      const oldest = known.keys().next().value
      if (known.size > maxKnown && oldest !== undefined) known.delete(oldest)
    }
    const write = (texts: ReadonlyArray<string>) => {
      const byDigest = new Map(texts.map((text) => [digestOf(text), text]))
      // Sorted, so that two processes that store the same texts do not deadlock.
      const digests = [...byDigest.keys()].toSorted()
      return Effect.map(
        storedRows(execute(store({ digests, texts: digests.map((digest) => storable(byDigest.get(digest) ?? "")) }))),
        (rows) => {
          for (const { digest, id } of rows) {
            const text = byDigest.get(digest)
            if (text !== undefined) learn(text, id)
          }
        }
      )
    }
    return {
      numberOf: (text) => known.get(text),
      store: (texts) =>
        Effect.catchAllCause(
          write(texts),
          (cause) =>
            Effect.logWarning("Storing texts of a prompt failed; the step is journalled without its prompt", cause)
        ),
      keep: (text) =>
        Effect.suspend(() => {
          const number = known.get(text)
          if (number !== undefined) return Effect.succeed(number)
          // Neither a member's row security nor the end of a transaction has a say in it.
          return Effect.zipRight(
            asService(outsideTransaction(write([text]))),
            Effect.suspend(() => Effect.orDie(Option.fromNullable(known.get(text))))
          )
        }),
      textOf: (number) =>
        Effect.flatMap(
          readPromptTexts(execute, [number]),
          (texts) => Effect.orDie(Option.fromNullable(texts.get(number)))
        )
    }
  }
)

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex")

const storedRows = rowsOf(Schema.Struct({ id: Schema.Int, digest: Schema.String }))

/** The update returns the number of a text that is there already. */
const store = prepared(
  "prompt_texts_store",
  ["digests", "texts"],
  `insert into prompt_texts (digest, text)
select decode(digest, 'hex'), text from unnest($digests::text[], $texts::text[]) as t(digest, text)
on conflict (digest) do update set digest = excluded.digest
returning id, encode(digest, 'hex') as digest`
)

const textRows = rowsOf(Schema.Struct({ id: Schema.Int, text: Schema.String }))

const read = prepared(
  "prompt_texts_read",
  ["numbers"],
  "select id, text from prompt_texts where id = any($numbers::integer[])"
)

/** The texts with these numbers. */
export const readPromptTexts = (
  execute: PreparedStatements["Type"]["execute"],
  numbers: ReadonlyArray<number>
): Effect.Effect<ReadonlyMap<number, string>> =>
  Effect.map(textRows(execute(read({ numbers }))), (rows) => new Map(rows.map(({ id, text }) => [id, text])))
