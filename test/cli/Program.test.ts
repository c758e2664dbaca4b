import { NodeContext } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { CommandFailed } from "@troupe/cli/CommandFailed"
import { commandNames, overview, run } from "@troupe/cli/Program"
import { Screen } from "@troupe/cli/Screen"
import { ConfigProvider, Console, Effect, Exit, Fiber, Layer, TestClock } from "effect"
import { collectingStreams } from "../support/CommandLine.ts"

/** Runs the command in this process; nobody can be asked, and nothing listens at its address. */
const troupe = (words: ReadonlyArray<string>, input = "", environment: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const { streams, written } = collectingStreams(input)
    const collecting = { ...yield* Effect.console, log: collect, error: collect }
    function collect(...parts: ReadonlyArray<unknown>) {
      return Effect.sync(() => {
        written.both += `${parts.join(" ")}\n`
      })
    }
    const result = yield* Effect.flip(run(["node", "troupe", ...words])).pipe(
      Effect.orElseSucceed(() => null),
      Effect.provide(Layer.mergeAll(
        NodeContext.layer,
        Screen.layer(streams),
        Console.setConsole(collecting)
      )),
      Effect.withConfigProvider(
        ConfigProvider.fromMap(new Map(Object.entries({ TROUPE_URL: "http://127.0.0.1:1", ...environment })))
      )
    )
    return { written: written.both, failure: result instanceof CommandFailed ? result : null, result }
  })

it.effect("The overview names every command", () =>
  Effect.gen(function*() {
    assert.isAtLeast(commandNames.length, 9)
    const listed = [...overview.split("Options")[0]?.matchAll(/^ {2}([a-z-]+) /gm) ?? []].map(([, name]) => name)
    assert.deepStrictEqual(listed.toSorted(), commandNames.toSorted())
    for (const words of [[], ["--help"], ["-h"], ["help"]]) {
      assert.strictEqual((yield* troupe(words)).written, overview)
    }
  }))

it.effect("A wrong command line is refused before anything is sent, and says what is wrong", () =>
  Effect.gen(function*() {
    const refused = [
      { words: ["bogus"], text: "Invalid subcommand" },
      { words: ["show"], text: "Missing argument <task>" },
      { words: ["subscriptions", "add", "https://example.org", "--event", "task.gone"], text: "task.completed" },
      { words: ["subscriptions", "add", "ftp://example.org"], text: "an http or https address" },
      { words: ["tasks", "--status", "done"], text: "pending" },
      { words: ["tasks", "--limit", "0"], text: "from 1 to 1000" },
      { words: ["submit", "--max-tokens", "12", "x"], text: "at least 4000" }
    ]
    for (const { text, words } of refused) {
      const { failure, result, written } = yield* troupe(words)
      assert.isNotNull(result, words.join(" "))
      assert.isNull(failure, "it is the parser's")
      assert.include(written, text)
    }
    for (const words of [["submit", "hello", "--wacth"], ["submit", "-", "--watch"], ["answer", "1", "--jsn"]]) {
      assert.strictEqual((yield* troupe(words)).failure?.reason, words[0] === "answer" ? "unavailable" : "usage")
    }
    assert.strictEqual(
      (yield* troupe(["submit"])).failure?.message,
      "The message is empty. Say what the agent should do."
    )
    assert.strictEqual((yield* troupe(["submit", "x", "-"], "a".repeat(1_100_000))).failure?.reason, "usage")
    assert.strictEqual((yield* troupe(["answer"])).failure?.reason, "usage", "nobody can be asked")
    const secret = yield* troupe(["subscriptions", "add", "https://example.org", "--secret", "short"])
    assert.strictEqual(secret.failure?.message, "--secret must be whsec_ and 24 to 64 bytes in base64.")
    for (const words of [["memory", "--all"], ["--json", "memory", "--all"], ["memory", "bogus"]]) {
      const { failure, written } = yield* troupe(words)
      assert.match(failure?.message ?? "", /^troupe memory does not understand: .+\nIts commands are .*delete/)
      assert.notInclude(written, "subcommand")
    }
    for (const url of ["ftp://x", "nonsense", "http://", "http:// x"]) {
      const { failure } = yield* troupe(["tasks", "--url", url])
      assert.strictEqual(failure?.reason, "usage", url)
    }
  }))

it.effect("A command that reads standard input ends at once when it is interrupted", () =>
  Effect.gen(function*() {
    const { streams } = collectingStreams()
    const waits = yield* Effect.makeLatch()
    const stdin = async function*() {
      yield Buffer.from("the beginning of")
      waits.unsafeOpen()
      await new Promise(() => {})
    }
    const reading = yield* Effect.flatMap(Screen, ({ input }) => input).pipe(
      Effect.provide(Screen.layer({ ...streams, stdin: stdin() })),
      Effect.fork
    )
    yield* waits.await
    assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(reading)))
  }))

it.effect("Without a service the command says where it looked and what to do; a blank variable counts as unset", () =>
  Effect.gen(function*() {
    const { failure } = yield* troupe(["tasks"])
    assert.strictEqual(failure?.reason, "unavailable")
    assert.include(failure?.message, "No response from http://127.0.0.1:1. Start the service with npm start")
    const blank = yield* troupe(["tasks", "--url", "http://127.0.0.1:2/base/"], "", {
      TROUPE_URL: " ",
      TROUPE_TOKEN: ""
    })
    assert.include(blank.failure?.message, "http://127.0.0.1:2/base.")
  }))

it.effect("The options of every command may come before it", () =>
  Effect.gen(function*() {
    const address = "http://127.0.0.1:2"
    for (
      const words of [
        ["--url", address, "tasks"],
        ["--json", `--url=${address}`, "--token", "t", "tasks", "--limit", "1"],
        ["--url", address, "skills", "match", "report"],
        ["--url", address, "subscriptions", "delete", "1"],
        ["--url", address, "limits", "set", "team", "--day", "1"],
        ["--url", address, "tokens", "revoke", "1"],
        ["--url", address, "submit", "hello"]
      ]
    ) {
      const { failure } = yield* Effect.fork(troupe(words)).pipe(
        Effect.tap(() => TestClock.adjust("1 second")),
        Effect.flatMap(Fiber.join)
      )
      assert.include(failure?.message, `No response from ${address}.`, words.join(" "))
    }
    assert.include((yield* troupe(["--url", address, "bogus"])).written, "Invalid subcommand")
  }))

it.effect("Completions exist for each shell, with the commands in them", () =>
  Effect.gen(function*() {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { result, written } = yield* troupe(["--completions", shell])
      assert.isNull(result)
      for (const name of ["submit", "answer", "skills", "subscriptions"]) assert.include(written, name)
    }
  }))
