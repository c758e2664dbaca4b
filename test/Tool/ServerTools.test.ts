import { assert, describe, it } from "@effect/vitest"
import { defaultUser } from "@troupe/domain/Ids"
import { Effect, Layer, type Scope } from "effect"
import { fileURLToPath } from "node:url"
import { Sandbox } from "../../src/File/Sandbox.ts"
import { OnToolProgress, type ToolProgress } from "../../src/Tool/OnToolProgress.ts"
import type { Toolbox } from "../../src/Tool/Toolbox.ts"
import { serverToolSource, Toolboxes, type ToolUser } from "../../src/Tool/Toolboxes.ts"
import { serverToolsOf } from "../../src/ToolServer/ServerTool.ts"
import type { ToolServers } from "../../src/ToolServer/ToolServers.ts"
import { noSignIns } from "../support/FakeTool.ts"
import { until } from "../support/Processes.ts"
import { entry, isAlive } from "../support/ToolServerFixture.ts"
import { configure, onDatabase } from "../ToolServer/world.ts"
import { alice, callOf, contentOf } from "./calls.ts"
import { world } from "./serverTools.ts"

const parent: ToolUser = { type: "task", creator: defaultUser, agentType: null, toolAccess: "all" }
const subagent = (agentType: "general" | "research" | "tool-specialist"): ToolUser => ({
  type: "subtask",
  creator: defaultUser,
  agentType,
  toolAccess: "all"
})

const call = (toolbox: Toolbox, name: string, args: unknown = {}) => contentOf(toolbox, name, args)

const effectOf = (toolbox: Toolbox, name: string) => toolbox.effectOf(callOf(name, {}))

const names = (toolbox: Toolbox) => toolbox.tools.map(({ name }) => name)

const test = (
  name: string,
  body: (
    boxes: Effect.Effect.Success<ReturnType<typeof world>>
  ) => Effect.Effect<void, unknown, Scope.Scope | Effect.Effect.Context<ReturnType<typeof configure>>>
) =>
  it.scopedLive(
    name,
    () => Effect.flatMap(world({ srv: entry() }), body).pipe(Effect.provide(onDatabase)),
    60_000
  )

describe("The tools of servers", () => {
  it.effect("are called with the server's own names of parameters, which model providers refuse", () =>
    Effect.gen(function*() {
      const inputSchema = { properties: { "filter[id]": { type: "string" }, page: { type: "integer" } } }
      const { tools } = serverToolsOf("shop", [{ name: "list", inputSchema }])
      const called: Array<unknown> = []
      const servers: ToolServers["Type"] = {
        tools: () => tools,
        call: (_, args) => Effect.sync(() => called.push(args)).pipe(Effect.as({ content: [] })),
        absent: () => null,
        signIns: noSignIns,
        openSession: () => Effect.dieMessage("A task has no session"),
        settled: Effect.void
      }
      const source = serverToolSource(servers, yield* Sandbox, new Set())
      const toolbox = yield* Toolboxes.make(() => [], source).open(parent)
      const [definition] = toolbox.toolSet().tools
      assert.deepStrictEqual(Object.keys(Object(definition?.parameters["properties"])), ["filter_id", "page"])
      yield* call(toolbox, "shop__list", { filter_id: "7", page: 2 })
      assert.deepStrictEqual(called, [{ "filter[id]": "7", page: 2 }])
    }).pipe(Effect.scoped, Effect.provide(Layer.mock(Sandbox, {}))))

  it.scopedLive("that are down say so", () =>
    Effect.gen(function*() {
      const { open } = yield* world({ "not there": entry("dies"), off: { ...entry(), disabled: true } })
      const toolbox = yield* open(parent)
      assert.strictEqual(
        yield* call(toolbox, "not_there__echo"),
        "Error: the tool server not there is failed: it ended with exit code 1. "
          + "Do without its tools, or wait and try again."
      )
      assert.match(yield* call(toolbox, "off__echo"), /^Error: the tool server off is disabled\. /)
      assert.match(yield* call(toolbox, "other__echo"), /^Error: there is no tool/)
    }).pipe(Effect.provide(onDatabase)))

  test("report the progress of a call", ({ open }) =>
    Effect.gen(function*() {
      const reported: Array<ToolProgress> = []
      const tell = (progress: ToolProgress) => Effect.sync(() => void reported.push(progress))
      const box = yield* open(parent)
      assert.strictEqual(yield* Effect.provideService(call(box, "srv__advance"), OnToolProgress, tell), "advanced")
      assert.deepStrictEqual(reported.map(({ progress, tool }) => [tool, progress]), [["srv__advance", 1], [
        "srv__advance",
        2
      ]])
    }))

  it.scopedLive(
    "include a reader of the server's resources, whose text is marked as data",
    () =>
      Effect.gen(function*() {
        const { args: [, ...others], command } = entry()
        const notes = fileURLToPath(new URL("../support/resourceServer.mjs", import.meta.url))
        const { open } = yield* world({ notes: { command, args: [notes, ...others] } })
        for (const user of [parent, subagent("general")]) {
          const toolbox = yield* open(user)
          assert.strictEqual(effectOf(toolbox, "notes__resources_read"), "idempotent")
          const read = yield* call(toolbox, "notes__resources_read", { uri: "notes://today" })
          assert.match(read, /^<resource[^>]*>\nnotes:\/\/today:\nBuy milk/)
          assert.strictEqual(read.match(/<\/resource/g)?.length, 1)
          assert.match(
            yield* call(toolbox, "notes__resources_read", { uri: "notes://never" }),
            /^Error: resources\/read of /
          )
        }
        assert.include(yield* call(yield* open(parent), "notes__find"), "[Link: notes://today, today]")
        // Its address may carry data to the server: not for subagents and tasks that may only read.
        for (
          const user of [subagent("research"), { ...parent, toolAccess: "read" }, {
            ...parent,
            toolAccess: "own"
          }] as const
        ) {
          assert.notInclude(names(yield* open(user)), "notes__resources_read")
        }
      }).pipe(Effect.provide(onDatabase)),
    60_000
  )

  test("are called under their server's name, with the effect that the server says they have", ({ open }) =>
    Effect.gen(function*() {
      const toolbox = yield* open(parent)
      assert.includeMembers(names(toolbox), ["read_file", "srv__echo", "srv__append"])
      assert.strictEqual(yield* call(toolbox, "srv__echo", { text: "hello" }), "hello")
      assert.strictEqual(effectOf(toolbox, "srv__echo"), "read")
      assert.strictEqual(effectOf(toolbox, "srv__put"), "idempotent")
      assert.strictEqual(effectOf(toolbox, "srv__append"), "outside")
      assert.strictEqual(effectOf(toolbox, "other__unknown"), "outside")
      assert.strictEqual(effectOf(toolbox, "unknown"), "read")
    }))

  test("are the same set, by identity, until something changes", ({ open }) =>
    Effect.gen(function*() {
      const toolbox = yield* open(parent)
      const before = toolbox.toolSet()
      assert.strictEqual(toolbox.toolSet(), before)
      const one = yield* open(subagent("general"))
      const other = yield* open(subagent("general"))
      assert.strictEqual(one.toolSet(), other.toolSet())
      const count = before.tools.find(({ name }) => name === "srv__count")
      yield* call(toolbox, "srv__redefine")
      yield* until("the changed tool is off", Effect.sync(() => !names(toolbox).includes("srv__echo")))
      assert.notStrictEqual(toolbox.toolSet(), before)
      assert.deepStrictEqual(toolbox.toolSet().tools.find(({ name }) => name === "srv__count"), count)
      yield* call(toolbox, "srv__redefine")
      yield* until("it is back", Effect.sync(() => names(toolbox).includes("srv__echo")))
    }))

  test("are for a subagent that only looks those that only look, and for the others all", ({ open }) =>
    Effect.gen(function*() {
      const research = names(yield* open(subagent("research")))
      assert.include(research, "srv__echo")
      assert.notIncludeMembers(research, ["srv__append", "srv__put", "srv__boom"])
      for (const type of ["general", "tool-specialist"] as const) {
        assert.includeMembers(names(yield* open(subagent(type))), ["srv__echo", "srv__append"])
      }
    }))

  test("run for parents in one session, and for each subagent in one of its own that ends with it", ({ open }) =>
    Effect.gen(function*() {
      const one = yield* open(parent)
      const other = yield* open(parent)
      const [shared] = (yield* call(one, "srv__count")).split(" ")
      assert.strictEqual(yield* call(other, "srv__count"), `${shared} 2`)
      const own = yield* Effect.scoped(Effect.gen(function*() {
        const toolbox = yield* open(subagent("general"))
        const [own] = (yield* call(toolbox, "srv__count")).split(" ")
        assert.notStrictEqual(own, shared)
        assert.strictEqual(yield* call(toolbox, "srv__count"), `${own} 2`)
        assert.match(yield* call(toolbox, "srv__boom"), /^Error: .* may have taken effect/)
        const [again] = (yield* call(toolbox, "srv__count")).split(" ")
        assert.notStrictEqual(again, own)
        return Number(again)
      }))
      assert.isFalse(isAlive(own))
      assert.strictEqual(yield* call(other, "srv__count"), `${shared} 3`)
    }))

  test("answer in text whatever the server answers, and keep pictures among the user's files", ({ open, sandbox }) =>
    Effect.gen(function*() {
      const toolbox = yield* open(parent)
      assert.strictEqual(
        yield* call(toolbox, "srv__parts"),
        "one\nfile:///note.txt:\ntwo\n[file:///data.bin (application/x): about 3 bytes, which can't be shown.]\n"
          + "[Link: file:///three, three]\n[audio (audio/wav) of about 3 bytes, which can't be shown.]\n"
          + "{\n \"type\": \"unheard-of\"\n}\n7"
      )
      assert.include(yield* call(toolbox, "srv__structured"), `${"a".repeat(40)}!`)
      const picture = yield* call(toolbox, "srv__picture")
      const path = /saved as (\S+\.png)\./.exec(picture)?.[1] ?? ""
      assert.strictEqual((yield* sandbox.stat(alice, path)).size, 70)
    }))

  test("fail in plain words", ({ open }) =>
    Effect.gen(function*() {
      const toolbox = yield* open(parent)
      assert.strictEqual(yield* call(toolbox, "srv__refuse"), "Error: no such thing")
      assert.match(yield* call(toolbox, "srv__grown_7"), /^Error: there is no tool/)
      assert.match(yield* call(toolbox, "srv__giant"), /^Error: giant of the tool server srv failed: .* 10 MB\./)
      yield* until(
        "it is back",
        Effect.map(call(toolbox, "srv__echo", { text: "back" }), (answer) => answer === "back")
      )
      yield* configure({})
      yield* until("the tool is gone", Effect.sync(() => !names(toolbox).includes("srv__echo")))
    }))
})
