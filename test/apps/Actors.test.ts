import { assert, it } from "@effect/vitest"
import { parentLimits, subagentLimits } from "@troupe/domain/Limits"
import { Duration, Effect, Layer, Stream } from "effect"
import * as Actors from "../../src/apps/Actors.ts"
import { Memories } from "../../src/Memory/Memories.ts"
import { Embeddings } from "../../src/Model/Embeddings.ts"
import { offlineEmbeddings } from "../../src/Model/OfflineEmbeddings.ts"
import { Policies } from "../../src/Policy/Policies.ts"
import { Settings } from "../../src/Runtime/Settings/Settings.ts"
import { StoredSettings } from "../../src/Runtime/Settings/StoredSettings.ts"
import { SkillMatching } from "../../src/Skill/SkillMatching.ts"
import { SkillRequirements } from "../../src/Skill/SkillRequirements.ts"
import { Skills } from "../../src/Skill/Skills.ts"
import { Tasks } from "../../src/Task/UseCase/Tasks.ts"
import { dispatchSubagent } from "../../src/Tool/ParkingTools.ts"
import { Toolboxes } from "../../src/Tool/Toolboxes.ts"
import { Authorizations } from "../../src/ToolServer/Authorizations.ts"
import { ToolServerRepo } from "../../src/ToolServer/ToolServerRepo.ts"
import { echo } from "../Agent/loop.ts"
import { eventually } from "../support/Eventually.ts"
import { givenCompleted, givenTask } from "../support/GivenTasks.ts"
import { projectsIn } from "../support/PromptContexts.ts"
import { asks, call, says, type ScriptedModel, scriptedModel, type Turn } from "../support/ScriptedModel.ts"
import { becomes, stepsOf } from "../support/TaskRows.ts"
import { inWorld, lockExpirationSeconds, Wire } from "../support/TaskWorld.ts"
import { childrenOf, dispatch } from "../Task/subtasks.ts"

const values = {
  SPECIALIZATION: "cats",
  ADDITIONAL_INSTRUCTIONS: "Answer in French.",
  MAX_PARALLEL_TOOL_CALLS: "2",
  AGENT_SOFT_ITERATIONS: "1",
  AGENT_HARD_ITERATIONS: "3",
  COMPACTION_THRESHOLD: "4",
  MAX_RECENT_MESSAGES: "2"
}

/** What `apps/` makes of these settings, with a scripted model, and memories that only take in. */
const running = (
  given: Readonly<Record<string, string>>,
  scripted: ScriptedModel,
  remembered: Array<string> = []
) =>
  Layer.build(
    Effect.map(Settings, Actors.layer).pipe(
      Layer.unwrapEffect,
      Layer.provide([
        Layer.orDie(Settings.layerFrom({ SHARD_LOCK_EXPIRATION: String(lockExpirationSeconds), ...given })),
        scripted.layer,
        projectsIn("/nowhere"),
        Toolboxes.layer([echo, dispatchSubagent]),
        Layer.succeed(Embeddings, offlineEmbeddings),
        Layer.mock(SkillMatching, { threshold: 0.35, match: () => Effect.succeed([]) }),
        Layer.mock(Skills, { custom: "", scriptTools: () => [] }),
        Policies.layerOf(),
        Layer.mock(StoredSettings, { changes: Stream.empty }),
        Layer.mock(Authorizations, { canSeal: true }),
        Layer.mock(ToolServerRepo, {}),
        Layer.mock(SkillRequirements, {}),
        Layer.mock(Memories, {
          recall: () => Effect.succeed({ found: [], leftOut: null }),
          remember: (_, endings) => Effect.sync(() => remembered.push(...endings.map(({ content }) => content)))
        })
      ])
    )
  )

inWorld("What runs tasks", (test) => {
  test("goes by the settings, and remembers how tasks ended", function*() {
    const tasks = yield* Tasks
    const remembered: Array<string> = []
    let begun = false
    let calls = 0
    const turn: Turn = (request) => {
      if (request.tools.tools.length === 0) return says("So far.")(request)
      if (!begun && request.system.includes("Plan it")) {
        begun = true
        return asks(
          dispatch("a", "Part", { max_iterations: 2 }),
          dispatch("b", "Part", { max_iterations: 2 }),
          call("x", "echo", { text: "x" })
        )(request)
      }
      return asks(call(`e${++calls}`, "echo", { text: "e" }))(request)
    }
    const scripted = scriptedModel(...Array.from({ length: 50 }, () => turn))
    yield* givenCompleted("Count sheep", "Twelve.")
    const id = yield* givenTask("Plan it")
    yield* running(values, scripted, remembered)
    yield* becomes(id, "completed")
    assert.strictEqual((yield* tasks.find(id)).iteration_count, 3)
    assert.deepStrictEqual((yield* childrenOf(id)).map(({ iteration_count }) => iteration_count), [2, 2])
    const [first = "", second = ""] = scripted.requests.map(({ system }) => system).filter((system) =>
      system.includes("Plan it")
    )
    assert.include(first, "Your specialization: cats.")
    assert.include(first, "</task>\n\nAnswer in French.")
    assert.include(second, "Wrap up now: 1 of 3 iterations are used")
    const steps = yield* stepsOf(id)
    assert.deepInclude(steps.find(({ kind }) => kind === "compacted"), { because: "messages", summary: "So far." })
    assert.include(JSON.stringify(steps), "at most 2 tool calls run in one turn")
    yield* eventually(Effect.sync(() => remembered), (all) => all.includes("Task: Count sheep\nOutcome: Twelve."))
    assert.include((yield* Wire).sent.map(({ name }) => name), "task_memories_due")
  })
})

// A world of its own: once entities were registered and let go, a runner takes no tasks again.
inWorld("What runs tasks without keeping memories", (test) => {
  test("does not even look for tasks to remember, by MEMORY_AUTO_SAVE", function*() {
    const { sent } = yield* Wire
    const looks = () => sent.filter(({ name }) => name === "task_memories_due").length
    const before = looks()
    const id = yield* givenTask("Count sheep")
    yield* running({ MEMORY_AUTO_SAVE: "false" }, scriptedModel(says("Twelve.")))
    yield* becomes(id, "completed")
    assert.strictEqual(looks(), before)
  })
})

it.effect("The actors of tasks and of subtasks have the limits of the specification", () =>
  Effect.gen(function*() {
    const { limits, maxCrashes, stepTimeout, suspectPause } = Actors.actorSettings(yield* Settings)
    assert.deepStrictEqual(limits, { parent: parentLimits, subagent: subagentLimits, largest: 200 })
    assert.deepStrictEqual([stepTimeout.parent, stepTimeout.subagent].map(Duration.toSeconds), [300, 600])
    assert.strictEqual(maxCrashes, 3)
    assert.strictEqual(Duration.toSeconds(suspectPause), 5)
  }).pipe(Effect.provide(Settings.layerFrom({}))))
