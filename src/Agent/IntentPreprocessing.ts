import type { Prepared } from "@troupe/domain/Step"
import { Array as Arrays, Cause, Clock, Context, Duration, Effect, Layer } from "effect"
import { Memories, type Recalled } from "../Memory/Memories.ts"
import { Embeddings } from "../Model/Embeddings.ts"
import type { ChosenModel, ToolDefinition } from "../Model/Model.ts"
import { timed } from "../Runtime/HotPath.ts"
import type { Skill } from "../Skill/Skill.ts"
import type { SkillMatching } from "../Skill/SkillMatching.ts"
import type { SkillRequirements } from "../Skill/SkillRequirements.ts"
import { Skills } from "../Skill/Skills.ts"
import * as SkillVectors from "../Skill/SkillVectors.ts"
import type { AgentTask } from "./AgentDependencies.ts"
import { makeSkillChoice } from "./SkillChoice.ts"
import { promptMemory } from "./SystemPrompt.ts"
import { firstByName, makeToolMatching, maxServerTools, surplus } from "./ToolSelection.ts"
import { extractSteps } from "./WorkSteps.ts"

type PreparedTask = Pick<AgentTask, "input" | "tokenBudget" | "type" | "creator" | "isWithoutMemory" | "skills">

/**
 * Finds skills, memories, work steps and tools for a task before its first model step. It never fails: what fails or
 * takes longer than two minutes or half a step's time is logged, and the task continues without it.
 */
export class IntentPreprocessing extends Context.Tag("troupe/Agent/IntentPreprocessing")<IntentPreprocessing, {
  /** Null when nothing was found and no tokens were used. A subtask only gets a choice of tools. */
  readonly prepare: (
    task: PreparedTask,
    tools: ReadonlyArray<ToolDefinition>,
    mayExtractSteps: Effect.Effect<boolean>,
    model: ChosenModel
  ) => Effect.Effect<Prepared | null>
  /** Skills that were deleted since are left out. */
  readonly skillsOf: (prepared: Prepared | null) => Effect.Effect<ReadonlyArray<Skill>>
}>() {
  static readonly layer = (options: PreprocessingOptions): Layer.Layer<
    IntentPreprocessing,
    never,
    SkillMatching | Skills | SkillRequirements | Memories | Embeddings
  > => Layer.effect(this, make(options))
}

export interface PreprocessingOptions {
  readonly stepTimeout: Duration.Duration
  readonly maxSkills: number
  readonly intentPreprocessing: boolean
}

const maxTime = Duration.minutes(2)
const maxModelTime = Duration.minutes(1)

/** Matching skills, recalling memories and ranking tools have time-outs of their own, which usually end before it. */
const lookupsTimeout = Duration.seconds(30)

const make = Effect.fnUntraced(function*(options: PreprocessingOptions) {
  const matchedSkills = yield* makeSkillChoice(options.maxSkills)
  const skills = yield* Skills
  const memories = yield* Memories
  const tools = makeToolMatching(SkillVectors.make(yield* Embeddings))
  const time = Duration.min(maxTime, Duration.times(options.stepTimeout, 0.5))
  // Together 90% of the time; what ends within it, above all a paid call, is journalled.
  const shares = { workSteps: 0.6, ofSteps: 0.15, ofRequest: options.intentPreprocessing ? 0.15 : 0.5, lookups: 0.9 }
  const shareOf = (name: keyof typeof shares) => Duration.min(maxModelTime, Duration.times(time, shares[name]))

  const toolsOfSteps = Effect.fnUntraced(function*(
    model: ChosenModel,
    input: string,
    available: ReadonlyArray<ToolDefinition>,
    isLimited: boolean
  ) {
    const extracted = yield* extractSteps(model, input, isLimited).pipe(
      Effect.timeout(shareOf("workSteps")),
      orElse("Extracting the work steps failed", null)
    )
    if (extracted === null) return {}
    const { cost, model: answering, steps, tokens } = extracted
    const spent = {
      tokens,
      ...(cost === undefined ? {} : { cost }),
      ...(answering === undefined ? {} : { model: answering })
    }
    if (steps === null) return spent
    const names = yield* tools.ofSteps(steps, available).pipe(
      Effect.timeout(shareOf("ofSteps")),
      orElse("Matching tools to the work steps failed", null)
    )
    return { ...spent, steps, ...(names === null ? {} : { tools: names }) }
  })

  /** Null when all of them may be bound. */
  const toolsOfRequest = (input: string, available: ReadonlyArray<ToolDefinition>) => {
    const tooMany = surplus(available)
    return tooMany.length === 0 ? Effect.succeed(null) : tools.ofRequest(input, available).pipe(
      Effect.timeout(shareOf("ofRequest")),
      orElse(
        `Ranking ${tooMany.length} tools of tool servers failed`,
        firstByName(tooMany.map(({ name }) => name)),
        `the first ${maxServerTools} by name are offered`
      )
    )
  }

  const chosenTools = Effect.fnUntraced(function*(
    model: ChosenModel,
    input: string,
    available: ReadonlyArray<ToolDefinition>,
    steps: { readonly mayExtract: boolean; readonly isLimited: boolean }
  ) {
    const known = steps.mayExtract ? yield* toolsOfSteps(model, input, available, steps.isLimited) : {}
    const names = "tools" in known ? null : yield* toolsOfRequest(input, available)
    return names === null ? known : { ...known, tools: names }
  })

  /** Only the model call that extracts work steps may take longer than the time-outs of the lookups. */
  const needsNoTimeout = !options.intentPreprocessing && Duration.greaterThan(time, lookupsTimeout)

  const limited = <A, E, R>(lookup: Effect.Effect<A, E, R>): Effect.Effect<A, E | Cause.TimeoutException, R> =>
    needsNoTimeout ? lookup : Effect.timeout(lookup, shareOf("lookups"))

  const prepare = Effect.fnUntraced(function*(
    { creator, input, isWithoutMemory = false, skills: allowed = null, tokenBudget, type }: PreparedTask,
    model: ChosenModel,
    available: ReadonlyArray<ToolDefinition>,
    mayExtract: boolean
  ) {
    const before = yield* Clock.currentTimeMillis
    const millis = Effect.map(Clock.currentTimeMillis, (now) => Math.round(now - before))
    if (type === "subtask") {
      const names = yield* toolsOfRequest(input, available)
      return names === null ? null : { kind: "prepared" as const, skills: [], tools: names, millis: yield* millis }
    }
    const [{ found, lacking }, recalled, chosen] = yield* Effect.all([
      limited(matchedSkills(input, allowed)).pipe(orElse("Matching skills failed", { found: [], lacking: [] })),
      isWithoutMemory
        ? Effect.succeed(nothingRecalled)
        : limited(memories.recall(creator, input)).pipe(orElse("Recalling memories failed", notRecalled)),
      chosenTools(model, input, available, { mayExtract, isLimited: tokenBudget !== null })
    ], { concurrency: needsNoTimeout ? 1 : "unbounded" })
    const hasChosen = "tokens" in chosen || "tools" in chosen
    const remembered = rememberedIn(recalled)
    if (found.length === 0 && lacking.length === 0 && remembered === null && !hasChosen) return null
    return {
      kind: "prepared" as const,
      skills: found.map(({ name, score }) => ({ name, score: Math.round(score * 1000) / 1000 })),
      ...(lacking.length === 0 ? {} : { lacking }),
      ...remembered,
      ...chosen,
      millis: yield* millis
    }
  })

  /** All that there is to find where skills and work steps are switched off and all tools may be bound. */
  const onlyMemories = ({ creator, input }: Pick<AgentTask, "input" | "creator">): Effect.Effect<Prepared | null> =>
    Effect.map(
      timed(memories.recall(creator, input).pipe(orElse("Recalling memories failed", notRecalled))),
      ([millis, recalled]) => {
        const remembered = rememberedIn(recalled)
        return remembered === null
          ? null
          : { kind: "prepared", skills: [], ...remembered, millis: Math.round(millis) }
      }
    )

  return IntentPreprocessing.of({
    prepare: (task, available, mayExtract, model) =>
      needsNoTimeout && options.maxSkills === 0 && task.type === "task" && task.isWithoutMemory !== true &&
        surplus(available).length === 0 ?
        onlyMemories(task) :
        Effect.flatMap(
          options.intentPreprocessing ? mayExtract : Effect.succeed(false),
          (may) => prepare(task, model, available, may)
        ),
    skillsOf: (prepared) =>
      prepared === null || prepared.skills.length === 0 ? Effect.succeed([]) : Effect.map(
        Effect.forEach(prepared.skills, ({ name }) => Effect.option(skills.find(name))),
        Arrays.getSomes
      )
  })
})

const nothingRecalled: Recalled = { found: [], leftOut: null }

const notRecalled: Recalled = { found: [], leftOut: "Searching them failed or took too long." }

/** Null where there is nothing to journal. */
const rememberedIn = ({ found, leftOut }: Recalled): Pick<Prepared, "memories" | "memoriesLeftOut"> | null =>
  leftOut !== null ? { memoriesLeftOut: leftOut } : found.length === 0 ? null : { memories: found.map(promptMemory) }

/** Logs a failure or defect and gives `otherwise` in its place; an interruption stays one. */
const orElse =
  <B>(what: string, otherwise: B, next = "the task continues without it") =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A | B, never, R> =>
    Effect.catchAllCause(work, (cause) =>
      Cause.isInterruptedOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logWarning(`${what}; ${next}: ${reasonOf(cause)}`), otherwise))

const reasonOf = (cause: Cause.Cause<unknown>): string => Cause.prettyErrors(cause)[0]?.message ?? "unknown reason"
