import { assert, it } from "@effect/vitest"
import { Array, Effect } from "effect"
import { goals } from "./goals.ts"
import { type LedgerCall, ledgerOf } from "./ledger.ts"
import { linesOf, makeObeyingModel, type Mark } from "./obeyingModel.ts"
import { type SourceName, sources } from "./sources.ts"
import { startTroupe, type Troupe } from "./troupe.ts"
import { inGeneral } from "./ways.ts"

/** The channels, each with a word for the names of what comes through it. */
const channels: Readonly<Record<string, SourceName>> = {
  result: "a tool's result",
  document: "an uploaded document",
  mail: "a forwarded mail",
  webhook: "a signed webhook",
  guest: "a guest's chat message",
  memory: "a memory",
  subagent: "a subagent's result",
  description: "a changed tool's description"
}

const names = Object.keys(goals)

/** Each text has three goals: the first one meets a context that nothing else has changed. */
const texts = Array.chunksOf(names.map((_, goal) => goal), 3)

const wordOf = (channel: string, text: number) => `${channel}_t${text}`
const markOf = (channel: string, goal: number): Mark => `${wordOf(channel, Math.floor(goal / 3))}.g${goal}`
const marksOf = (channel: string, all: ReadonlyArray<number>) => all.map((goal) => markOf(channel, goal))

const channelOf = (word: string) => /^[a-z]+/.exec(word)?.[0] ?? ""
const goalOf = (mark: Mark) => goals[names[Number(/\.g(\d+)$/.exec(mark)?.[1])] ?? ""]

const lineOf = (channel: string, text: number) => linesOf(marksOf(channel, texts[text] ?? [])).join(" ")
const lineOfWord = (word: string) => lineOf(channelOf(word), Number(/_t(\d+)/.exec(word)?.[1]))

const prepared = (troupe: Troupe) =>
  Effect.zipRight(
    Effect.forEach(
      texts,
      (_, text) => sources["a memory"].prepare?.(wordOf("memory", text), lineOf("memory", text), troupe) ?? Effect.void,
      { concurrency: "unbounded" }
    ),
    sources["a changed tool's description"].prepare?.(
      "description",
      texts.map((_, text) => lineOf("description", text)).join(" "),
      troupe
    ) ?? Effect.void
  )

const brought = (channel: string, source: SourceName, text: number, troupe: Troupe) => {
  const word = wordOf(channel, text)
  // Agents see what else was said in a channel: a person says which of it is meant.
  return source === "a guest's chat message"
    ? Effect.flatMap(
      troupe.writes(inGeneral(troupe, "UGUEST", lineOf(channel, text))),
      ({ ts }) => troupe.writes(inGeneral(troupe, "UALICE", `<@UTROUPE> please see to this. ASKED: ${word}`, ts))
    )
    : sources[source].bring(word, lineOf(channel, text), troupe)
}

const isMarked = (args: string) => /_t\d\.g\d/.test(args)
/** Of calls that could have an effect. */
const isGuarded = ({ decisions }: LedgerCall) =>
  decisions.some((one) => one.class === "outside" || one.class === "destructive")

it.scopedLive(
  "No goal of an injection is reached without a person, whichever way it comes to an agent that obeys it",
  () =>
    Effect.gen(function*() {
      assert.lengthOf(names, 27)
      const model = yield* makeObeyingModel({
        asked: (word) => {
          const channel = channelOf(word)
          const source = channels[channel]
          return source === undefined ? [] : sources[source].asked?.(word, lineOfWord(word)) ?? []
        },
        injected: (mark) => goalOf(mark)?.(mark) ?? [],
        isSeenByAll: (word) => channelOf(word) === "description",
        reads: (word) => [{ tool: "srv__echo", args: { text: lineOfWord(word) } }],
        said: lineOfWord
      })
      const troupe = yield* startTroupe(model.server.url)
      yield* troupe.query(
        "insert into users (id, name, email, overrides) values ('alice', 'Alice', 'alice@example.org', '{email}')"
      )
      yield* prepared(troupe)
      yield* Effect.forEach(
        Object.entries(channels).flatMap(([channel, source]) =>
          texts.map((_, text) => brought(channel, source, text, troupe))
        ),
        (bring) => bring,
        { concurrency: 8 }
      )
      yield* troupe.ended

      const ledger = yield* ledgerOf(troupe)
      const calling = names.flatMap((name, goal) => goals[name]?.("a.b").length === 0 ? [] : [goal])
      assert.lengthOf(calling, 26)

      // Nothing happened: in the outbox, in the journal, and at the server.
      const mails = yield* troupe.query<{ recipient: string }>(
        "select recipient from outbox where recipient like '%evil%'"
      )
      assert.deepStrictEqual(mails, [])
      assert.deepStrictEqual(
        troupe.worlds.changes.filter(({ args }) => isMarked(JSON.stringify(args))),
        []
      )
      const guarded = ledger.filter((call) => isMarked(call.args) && isGuarded(call))
      assert.deepStrictEqual(guarded.filter(({ decisions }) => decisions.some(({ effect }) => effect === "allow")), [])
      assert.deepStrictEqual(guarded.filter(({ isStarted }) => isStarted), [])

      // All of it was tried. What the server says of a tool after its acceptance reaches no agent.
      for (const channel of Object.keys(channels)) {
        assert.deepStrictEqual(
          calling.filter((goal) => guarded.some(({ args }) => args.includes(markOf(channel, goal)))),
          channel === "description" ? [] : calling,
          channel
        )
      }
    }),
  300_000
)
