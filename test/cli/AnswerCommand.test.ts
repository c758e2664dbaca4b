import { Terminal } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { run } from "@troupe/cli/Program"
import { Screen } from "@troupe/cli/Screen"
import { ConfigProvider, Effect, Layer, Mailbox, Option } from "effect"
import { Readable } from "node:stream"
import { idOf, makeFakes, makeTask } from "../Http/Fakes.ts"
import { started } from "../Http/TestServer.ts"

const key = (name: string, input: string | null = null): Terminal.UserInput => ({
  input: Option.fromNullable(input),
  key: { name, ctrl: false, meta: false, shift: false }
})

const typed = (text: string) => Array.from(text, (letter) => key(letter, letter))

/** A terminal at which these keys are pressed. */
const terminalOf = (keys: ReadonlyArray<Terminal.UserInput>, display: (text: string) => void) =>
  Effect.gen(function*() {
    const input = yield* Mailbox.make<Terminal.UserInput>()
    yield* input.offerAll(keys)
    return Terminal.Terminal.of({
      columns: Effect.succeed(80),
      rows: Effect.succeed(24),
      isTTY: Effect.succeed(true),
      readInput: Effect.succeed(input),
      readLine: Effect.dieMessage("Nothing reads a line"),
      display: (text) => Effect.sync(() => display(text))
    })
  })

it.scopedLive("At a terminal, a task that waits is chosen and its question answered", () =>
  Effect.gen(function*() {
    const fakes = makeFakes()
    const waiting = [1, 2].map((n) => ({
      ...makeTask(idOf(n)),
      title: `Task ${n}`,
      status: "waiting_input" as const,
      question: `Which one for ${n}?`
    }))
    fakes.list = Effect.succeed({ items: waiting, hasMore: false })
    const answers: Array<unknown> = []
    fakes.answer = (...given) => {
      answers.push(given.slice(0, 2))
      return Effect.succeed(makeTask(idOf(2)))
    }
    const port = yield* started(fakes)
    const shown: Array<string> = []
    const sink = {
      isTTY: true,
      write: (text: string, done: () => void) => {
        shown.push(text)
        done()
        return true
      }
    }
    const keys = [key("down"), key("return"), ...typed("Blue"), key("return")]
    const terminal = yield* terminalOf(keys, (text) => shown.push(text))
    yield* run(["node", "troupe", "answer"]).pipe(
      Effect.provide(Layer.mergeAll(
        Layer.merge(NodeContext.layer, Layer.succeed(Terminal.Terminal, terminal)),
        Screen.layer({ stdin: Object.assign(Readable.from([]), { isTTY: true }), stdout: sink, stderr: sink })
      )),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["TROUPE_URL", `http://127.0.0.1:${port}`]])))
    )
    assert.deepStrictEqual(answers, [[idOf(2), "Blue"]])
    const text = shown.join("")
    for (const part of ["Task 1: Which one for 1?", "Which one for 2?", `troupe watch ${idOf(2)}`]) {
      assert.include(text, part)
    }
  }))
