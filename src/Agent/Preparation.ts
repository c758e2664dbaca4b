import { cosineOfUnits, ranked, type SkillMatch } from "@troupe/domain/SkillMatch"
import type { Prepared } from "@troupe/domain/Step"
import { Array as Arrays, Cause, Clock, Context, Duration, Effect, Layer } from "effect"
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
import { firstByName, maxServerTools, surplus } from "./ToolSelection.ts"
import { workStepsOf, workStepsRequest } from "./WorkSteps.ts"

/**
 * What is found out about a task before its first model step (service.md, "Skill matching and tool selection"). It
 * never fails and takes two minutes at most, and half a step's time: what can't be found out is logged, and the task goes on without.
 */
export class Preparation extends Context.Tag("troupe/Agent/Preparation")<Preparation, {
  /**
   * What there is to journal, or null when nothing was found and no model call was spent. A subtask gets a choice of
   * tools, where there are too many, and nothing else.
   */
  readonly of: (
    task: Pick<AgentTask, "input" | "tokenBudget" | "type" | "userId">,
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

const maxTime = Duration.minutes(2)
const maxModelTime = Duration.minutes(1)

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
  const time = Duration.min(maxTime, Duration.times(agent.stepTimeout, 0.5))
  // One after the other they take 90% of the time: what was found until then is journalled, above all a paid call.
  const shares = { workSteps: 0.6, suitable: 0.15, nearest: settings.intentPreprocessing ? 0.15 : 0.5, lookups: 0.9 }
  const shareOf = (name: keyof typeof shares) => Duration.min(maxModelTime, Duration.times(time, shares[name]))
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
      Effect.timeout(shareOf("workSteps")),
      Effect.map(({ inputTokens, message, outputTokens }) => ({
        tokens: [inputTokens, outputTokens] as const,
        steps: workStepsOf(message.content)
      })),
      // A call that failed may have been paid for.
      Effect.catchIf(
        (error) => error._tag !== "TimeoutException" && error._tag !== "ContextOverflow" && error.tokens !== undefined,
        (error) =>
          Effect.as(
            Effect.logWarning(`Extracting the work steps failed; the task goes on without: ${error.message}`),
            { tokens: "tokens" in error ? error.tokens ?? noTokens : noTokens, steps: null }
          )
      )
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

  /** By the tool set, which is the same object as long as its tools are the same. */
  const vectorsOfSets = new WeakMap<ReadonlyArray<ToolDefinition>, ReadonlyArray<Float32Array>>()
  const vectorsOf = Effect.fnUntraced(
    function*(set: ReadonlyArray<ToolDefinition>, ofServers: ReadonlyArray<ToolDefinition>) {
      const known = vectorsOfSets.get(set)
      if (known !== undefined) return known
      // In parts, each of which is kept: a slow provider gets on with every task, even if none can wait for all.
      const parts = yield* Effect.forEach(Arrays.chunksOf(ofServers.map(textOf), 100), vectors.ofAll)
      const made = parts.flat()
      vectorsOfSets.set(set, made)
      return made
    }
  )

  /** The tools of tool servers that are nearest to the request; null when all of them may be bound. */
  const nearest = Effect.fnUntraced(function*(input: string, tools: ReadonlyArray<ToolDefinition>) {
    const ofServers = surplus(tools)
    if (ofServers.length === 0) return null
    const byMeaning = Effect.gen(function*() {
      const [known, [asked = none]] = yield* Effect.all([vectorsOf(tools, ofServers), vectors.ofQueries([input])], {
        concurrency: "unbounded"
      })
      const scores = ofServers.map(({ name }, index) => ({ name, score: cosineOfUnits(asked, known[index] ?? none) }))
      return ranked(scores).slice(0, maxServerTools).map(({ name }) => name)
    })
    const names = yield* byMeaning.pipe(
      Effect.timeout(shareOf("nearest")),
      without(
        `Ranking ${ofServers.length} tools of tool servers failed`,
        null,
        `the first ${maxServerTools} by name are offered`
      )
    )
    return names ?? firstByName(ofServers.map(({ name }) => name))
  })

  const choice = Effect.fnUntraced(function*(
    input: string,
    tools: ReadonlyArray<ToolDefinition>,
    steps: { readonly mayExtract: boolean; readonly isLimited: boolean }
  ) {
    const extracts = settings.intentPreprocessing && steps.mayExtract
    const known = extracts ? yield* intent(input, tools, steps.isLimited) : {}
    const names = "tools" in known ? null : yield* nearest(input, tools)
    return names === null ? known : { ...known, tools: names }
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
    const names = yield* suitable(steps, tools).pipe(
      Effect.timeout(shareOf("suitable")),
      without("Tools were not matched", null)
    )
    return { tokens, steps, ...(names === null ? {} : { tools: names }) }
  })

  /** Nothing but memories and tools is looked for, which keep times of their own, and these are less than what there is. */
  const isBrief = settings.max === 0 && !settings.intentPreprocessing && Duration.greaterThan(time, recallPatience)

  const bounded = <A, E, R>(lookup: Effect.Effect<A, E, R>): Effect.Effect<A, E | Cause.TimeoutException, R> =>
    isBrief ? lookup : Effect.timeout(lookup, shareOf("lookups"))

  const prepare: Preparation["Type"]["of"] = Effect.fnUntraced(
    function*({ input, tokenBudget, type, userId }, tools, mayExtractSteps) {
      const before = yield* Clock.currentTimeMillis
      const millis = Effect.map(Clock.currentTimeMillis, (now) => Math.round(now - before))
      if (type === "subtask") {
        const names = yield* nearest(input, tools)
        return names === null ? null : { kind: "prepared" as const, skills: [], tools: names, millis: yield* millis }
      }
      const [{ found, lacking }, recalled, known] = yield* Effect.all([
        bounded(matched(input)).pipe(without("Skills were not matched", { found: [], lacking: [] })),
        bounded(memories.recall(userId, input)).pipe(without("Memories were not recalled", [])),
        choice(input, tools, { mayExtract: mayExtractSteps, isLimited: tokenBudget !== null })
      ], { concurrency: isBrief ? 1 : "unbounded" })
      const isEmpty = !("tokens" in known) && !("tools" in known)
      if (found.length === 0 && lacking.length === 0 && recalled.length === 0 && isEmpty) return null
      return {
        kind: "prepared" as const,
        skills: found.map(({ name, score }) => ({ name, score: Math.round(score * 1000) / 1000 })),
        ...(lacking.length === 0 ? {} : { lacking }),
        ...(recalled.length === 0 ? {} : { memories: recalled.map(told) }),
        ...known,
        millis: yield* millis
      }
    },
    without("The task was not prepared", null)
  )

  return Preparation.of({
    of: isBrief ? prepare : (task, tools, mayExtractSteps) =>
      Effect.timeoutTo(prepare(task, tools, mayExtractSteps), {
        duration: time,
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

const noTokens = [0, 0] as const

const textOf = ({ description, name }: ToolDefinition): string => `${name.replaceAll("_", " ")}\n${description}`

/** The work's result, or `otherwise` when it fails or dies; an interruption stays one. */
const without =
  <B>(what: string, otherwise: B, next = "the task goes on without") =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A | B, never, R> =>
    Effect.catchAllCause(work, (cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logWarning(`${what}; ${next}: ${reasonOf(cause)}`), otherwise))

const reasonOf = (cause: Cause.Cause<unknown>): string => Cause.prettyErrors(cause)[0]?.message ?? "no reason is known"
