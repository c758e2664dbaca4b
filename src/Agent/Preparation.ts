import { cosineOfUnits, ranked, type SkillMatch } from "@troupe/domain/SkillMatch"
import type { Prepared } from "@troupe/domain/Step"
import { Cause, Clock, Context, Duration, Effect, Layer } from "effect"
import { Memories } from "../Memory/Memories.ts"
import { Embeddings } from "../Model/Embeddings.ts"
import { Model, type ToolDefinition } from "../Model/Model.ts"
import { Settings } from "../Runtime/Settings.ts"
import type { Skill } from "../Skill/Skill.ts"
import { SkillMatching } from "../Skill/SkillMatching.ts"
import { isMet, SkillRequirements } from "../Skill/SkillRequirements.ts"
import { Skills } from "../Skill/Skills.ts"
import * as SkillVectors from "../Skill/SkillVectors.ts"
import type { AgentTask } from "./AgentLoop.ts"
import { told } from "./MemoryContext.ts"
import { workStepTokens } from "./TokenBudget.ts"
import { workStepsOf, workStepsRequest } from "./WorkSteps.ts"

/**
 * What is found out about a task before its first model step (service.md, "Skill matching and tool selection"). It
 * never fails and takes two minutes at most, and half a step's time: what can't be found out is logged, and the task goes on without.
 */
export class Preparation extends Context.Tag("troupe/Agent/Preparation")<Preparation, {
  /** What there is to journal, or null when nothing was found and no model call was spent. */
  readonly of: (
    task: Pick<AgentTask, "input" | "tokenBudget" | "userId">,
    tools: ReadonlyArray<ToolDefinition>,
    /** Whether the steps of the work may be extracted, which takes a model call. */
    mayExtractSteps: boolean
  ) => Effect.Effect<Prepared | null>
  /** The skills that were found, as they are now; those that are gone by now are left out. */
  readonly skillsOf: (prepared: Prepared | null) => Effect.Effect<ReadonlyArray<Skill>>
}>() {
  static readonly layer: Layer.Layer<
    Preparation,
    never,
    SkillMatching | Skills | SkillRequirements | Memories | Model | Embeddings | Settings
  > = Layer.effect(this, Effect.suspend(() => make))

  /** Finds nothing. */
  static readonly layerNoop: Layer.Layer<Preparation> = Layer.succeed(this, {
    of: () => Effect.succeed(null),
    skillsOf: () => Effect.succeed([])
  })
}

const patience = Duration.minutes(2)
const modelPatience = Duration.minutes(1)

/** More than memories are waited for. */
const recallPatience = Duration.seconds(5)

/** service.md: the top 3 tools a step. */
const toolsPerStep = 3

const noSkills: ReadonlyArray<Skill> = []

const make = Effect.gen(function*() {
  const matching = yield* SkillMatching
  const skills = yield* Skills
  const { missing } = yield* SkillRequirements
  const memories = yield* Memories
  const model = yield* Model
  const { agent, skills: settings } = yield* Settings
  const time = Duration.times(agent.stepTimeout, 0.5)
  const vectors = yield* SkillVectors.make(yield* Embeddings)

  /** Those that can be followed here, best first; one that lacks something makes room for the next. */
  const matched = Effect.fnUntraced(function*(input: string) {
    const found: Array<SkillMatch> = []
    const lacking: Array<{ readonly name: Skill["name"]; readonly missing: ReadonlyArray<string> }> = []
    if (settings.max === 0) return { found, lacking }
    for (const match of yield* matching.match(input, { maxSkills: Number.POSITIVE_INFINITY })) {
      if (found.length === settings.max) break
      const skill = yield* Effect.option(skills.find(match.name))
      if (skill._tag === "None") continue
      const needs = yield* missing(skill.value)
      if (isMet(needs)) found.push(match)
      else if (lacking.length < settings.max) lacking.push({ name: match.name, missing: Object.values(needs).flat() })
    }
    return { found, lacking }
  })

  const workSteps = (input: string, isLimited: boolean) =>
    model.generate({ ...workStepsRequest(input), ...(isLimited ? { maxOutputTokens: workStepTokens } : {}) }).pipe(
      Effect.timeout(Duration.min(modelPatience, Duration.times(time, 0.8))),
      Effect.map(({ inputTokens, message, outputTokens }) => ({
        tokens: [inputTokens, outputTokens] as const,
        steps: workStepsOf(message.content)
      }))
    )

  const suitable = Effect.fnUntraced(function*(steps: ReadonlyArray<string>, tools: ReadonlyArray<ToolDefinition>) {
    const [known, asked] = yield* Effect.all([vectors.ofAll(tools.map(textOf)), vectors.ofQueries(steps)], {
      concurrency: "unbounded"
    })
    const best = asked.flatMap((step) =>
      ranked(tools.map(({ name }, index) => ({ name, score: cosineOfUnits(step, known[index] ?? none) }))).slice(
        0,
        toolsPerStep
      )
    )
    return [...new Set(best.map(({ name }) => name))]
  })

  const intent = Effect.fnUntraced(function*(
    input: string,
    tools: ReadonlyArray<ToolDefinition>,
    isLimited: boolean
  ) {
    const asked = yield* without("The work steps were not extracted", null)(workSteps(input, isLimited))
    if (asked === null) return {}
    const { steps, tokens } = asked
    if (steps === null) return { tokens }
    const names = yield* without("Tools were not matched", null)(suitable(steps, tools))
    return { tokens, steps, ...(names === null ? {} : { tools: names }) }
  })

  /** Nothing but memories is looked for, which keep a time of their own, and it is less than what there is. */
  const isBrief = settings.max === 0 && !settings.intentPreprocessing && Duration.greaterThan(time, recallPatience)

  const prepare: Preparation["Type"]["of"] = Effect.fnUntraced(
    function*({ input, tokenBudget, userId }, tools, mayExtractSteps) {
      const before = yield* Clock.currentTimeMillis
      const [{ found, lacking }, recalled, known] = yield* Effect.all([
        without("Skills were not matched", { found: [], lacking: [] })(matched(input)),
        memories.recall(userId, input),
        settings.intentPreprocessing && mayExtractSteps
          ? intent(input, tools, tokenBudget !== null)
          : Effect.succeed({})
      ], { concurrency: isBrief ? 1 : "unbounded" })
      if (found.length === 0 && lacking.length === 0 && recalled.length === 0 && !("tokens" in known)) return null
      return {
        kind: "prepared" as const,
        skills: found.map(({ name, score }) => ({ name, score: Math.round(score * 1000) / 1000 })),
        ...(lacking.length === 0 ? {} : { lacking }),
        ...(recalled.length === 0 ? {} : { memories: recalled.map(told) }),
        ...known,
        millis: Math.round((yield* Clock.currentTimeMillis) - before)
      }
    },
    without("The task was not prepared", null)
  )

  return Preparation.of({
    of: isBrief ? prepare : (task, tools, mayExtractSteps) =>
      Effect.timeoutTo(prepare(task, tools, mayExtractSteps), {
        duration: Duration.min(patience, time),
        onSuccess: (prepared) => prepared,
        onTimeout: () => null
      }),
    skillsOf: (prepared) =>
      prepared === null || prepared.skills.length === 0
        ? Effect.succeed(noSkills)
        : Effect.map(
          Effect.forEach(prepared.skills, ({ name }) => Effect.option(skills.find(name))),
          (found) => found.flatMap((skill) => skill._tag === "Some" ? [skill.value] : [])
        )
  })
})

const none = new Float32Array()

const textOf = ({ description, name }: ToolDefinition): string => `${name.replaceAll("_", " ")}\n${description}`

/** The work's result, or `otherwise` when it fails or dies; an interruption stays one. */
const without =
  <B>(what: string, otherwise: B) => <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A | B, never, R> =>
    Effect.catchAllCause(work, (cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logWarning(`${what}; the task goes on without: ${reasonOf(cause)}`), otherwise))

const reasonOf = (cause: Cause.Cause<unknown>): string => Cause.prettyErrors(cause)[0]?.message ?? "no reason is known"
