import { headOf } from "@troupe/domain/Text"
import { Array, Effect, identity } from "effect"
import { memoized } from "../Runtime/Cache.ts"
import type { ModelError, ModelRequest, ModelResponse, ToolDefinition, ToolSet } from "./Model.ts"
import type { RemoteProvider } from "./ModelSettings.ts"
import type { CallFailure } from "./ProviderFailure.ts"
import type { MaySend, OptionRefused, RequestOption } from "./RequestOption.ts"

/** `asked` is the request as the caller made it, with the caller's own output limit. */
type Generate = (request: ModelRequest, asked?: ModelRequest) => Effect.Effect<ModelResponse, ModelError>

/** A call fails rather than be repeated for more tools than this. */
const maxTools = 16

/** What a call is repeated without, because of a refusal that seems to be about it. */
interface Trial {
  readonly subject: RequestOption | ToolDefinition
  readonly refusal: OptionRefused
}

/**
 * Repeats a call without an option or a tool, or with a lower output limit, that the model refused. Where the repetition
 * shows that this was the reason, later calls begin there, and it is logged once. A complaint that stays the same is about
 * something else, such as a text that names a parameter.
 */
export const negotiated = (
  { model }: Pick<RemoteProvider, "model">,
  call: (request: ModelRequest, may: MaySend, asked: ModelRequest) => Effect.Effect<ModelResponse, CallFailure>
): Generate => {
  const refused = new Set<RequestOption>()
  const leftOut = makeLeftOut()

  const learn = (trials: ReadonlyArray<Trial>): Effect.Effect<void> =>
    Effect.forEach(trials, ({ refusal, subject }) => {
      const isTool = typeof subject === "object"
      const isNew = isTool ? leftOut.add(subject) : !refused.has(subject)
      if (!isTool) refused.add(subject)
      const what = isTool ? `The tool ${subject.name}` : `The request option ${subject}`
      return isNew
        ? Effect.logWarning(`${what} is left out of the calls of ${model} from now on: ${refusal.failure.reason}`)
        : Effect.void
    }, { discard: true })

  const withOptions = (
    request: ModelRequest,
    asked: ModelRequest,
    trials: ReadonlyArray<Trial>,
    toolsLeft: number
  ): Effect.Effect<ModelResponse, ModelError> =>
    Effect.suspend(() => {
      // Calls at the same time learn of the same refusal: what counts is what this one has sent.
      const before = new Set<Trial["subject"]>([...refused, ...trials.map(({ subject }) => subject)])
      const offered = leftOut.without(request.tools)
      const tools = trials.some(({ subject }) => typeof subject === "object")
        ? { tools: offered.tools.filter((tool) => !before.has(tool)) }
        : offered
      const called = call({ ...request, tools }, (option) => !before.has(option), asked)
      const attempt = trials.length === 0 ? called : Effect.tap(called, () => learn(trials))
      return Effect.catchTag(
        attempt,
        "OptionRefused",
        (refusal) => {
          const option = refusal.options.find((one) => !before.has(one))
          const tool = option === undefined && toolsLeft > 0 ? toolOf(refusal, tools) : undefined
          const subject = option ?? tool
          const [open, settled] = Array.partition(trials, (trial) => hasHelped(trial, refusal))
          return Effect.zipRight(
            learn(settled),
            subject === undefined
              ? Effect.fail(refusal.failure)
              : withOptions(request, asked, [...open, { subject, refusal }], toolsLeft - (tool === undefined ? 0 : 1))
          )
        }
      )
    })
  return withinOutputLimit((request, asked = request) => withOptions(request, asked, [], maxTools))
}

/** Whether the model complains about something else now. */
const hasHelped = ({ refusal: before, subject }: Trial, { options, tool }: OptionRefused): boolean =>
  typeof subject === "object"
    ? tool === null || JSON.stringify(tool) !== JSON.stringify(before.tool)
    : !options.includes(subject)

const toolOf = ({ tool }: OptionRefused, { tools }: ToolSet): ToolDefinition | undefined => {
  if (tool === null) return undefined
  return "name" in tool ? tools.find(({ name }) => name === tool.name) : tools[tool.index]
}

/** Tools that the model refuses. Another definition of the same tool is offered again. */
const makeLeftOut = () => {
  const known = new WeakSet<ToolDefinition>()
  let without: (set: ToolSet) => ToolSet = identity
  return {
    without: (set: ToolSet) => without(set),
    /** False for one that was left out before. */
    add: (tool: ToolDefinition | undefined): boolean => {
      if (tool === undefined || known.has(tool)) return false
      known.add(tool)
      without = memoized((set) => ({ tools: set.tools.filter((one) => !known.has(one)) }))
      return true
    }
  }
}

/** The length of a tool's description that every provider accepts. */
const maxDescription = 1_024

export const shortDescription = (description: string): string => headOf(description, maxDescription)

/** The name of the output limit, which depends on the model; null where it accepts neither. */
export const outputLimitName = (may: MaySend): "max_completion_tokens" | "max_tokens" | null =>
  may("max_tokens") ? "max_tokens" : may("max_completion_tokens") ? "max_completion_tokens" : null

/** Tried in turn where a model refuses a larger limit: few models allow less than the last. */
const commonOutputLimits = [32_768, 16_384, 8_192, 4_096]

/** A token budget may exceed the model's output limit: the call is then made again with a lower one, which is kept. */
const withinOutputLimit = (generate: Generate): Generate => {
  let ceiling = Number.POSITIVE_INFINITY
  const attempt: Generate = (request, asked = request) => {
    const { maxOutputTokens } = request
    if (maxOutputTokens === undefined) return generate(request, asked)
    const limit = Math.min(maxOutputTokens, ceiling)
    return Effect.catchIf(generate({ ...request, maxOutputTokens: limit }, asked), mayBeAboutLimit, (error) => {
      // Where input and output together are too long, only the lowest limit is worth a repeated long request.
      const lower = commonOutputLimits.find((common, index) =>
        common < limit && (error._tag === "ModelRejected" || index === commonOutputLimits.length - 1)
      )
      return lower === undefined ? Effect.fail(error) : Effect.tap(
        attempt({ ...request, maxOutputTokens: lower }, asked),
        () => Effect.sync(() => ceiling = error._tag === "ModelRejected" ? Math.min(ceiling, lower) : ceiling)
      )
    })
  }
  return attempt
}

/** Some providers report an overflow when conversation and output limit together exceed the context. */
const mayBeAboutLimit = (error: ModelError): boolean =>
  error._tag === "ContextOverflow"
  || error._tag === "ModelRejected" && (error.status === 400 || error.status === 422) && /token/i.test(error.reason)
