import { type Caller, isAdmin } from "@troupe/domain/Caller"
import { viewOf } from "@troupe/domain/Message"
import type { Run } from "@troupe/domain/Run"
import type { SentPrompt } from "@troupe/domain/SentPrompt"
import type { JournalledStep, Modelled } from "@troupe/domain/Step"
import { BoundTool, type StepContext } from "@troupe/domain/TaskStep"
import { Effect, Schema } from "effect"
import { conversationOf } from "../../Agent/Conversation.ts"
import { promptTime } from "../../Agent/PromptContext.ts"
import { filledPrompt, memoriesPart, taskPart } from "../../Agent/SystemPrompt.ts"
import type { TaskRow } from "../Row/TaskRow.ts"

/**
 * What the model saw at a step, from the run before it, the steps up to it and the texts that its prompt names. The
 * memories are the creator's: `reader`, null for the service, sees them as the creator, the owner or an admin.
 */
export const sentContext = (
  { creator, description }: Pick<TaskRow, "creator" | "description">,
  reader: Caller | null,
  run: Run,
  steps: ReadonlyArray<JournalledStep>,
  readTexts: (numbers: ReadonlyArray<number>) => Effect.Effect<ReadonlyMap<number, string>>
): Effect.Effect<StepContext> =>
  Effect.gen(function*() {
    const last = steps.at(-1)
    const step = last?.step.kind === "model" ? last.step : null
    const memories = run.prepared?.memories ?? []
    const isOwn = reader === null || isAdmin(reader) || reader.id === creator
    const sent = step === null ? null : promptAt(steps)
    const context = {
      seq: last?.seq ?? 0,
      messages: step?.transcript === undefined
        ? conversationOf(run).map(viewOf)
        : [{ role: "user" as const, content: step.transcript }],
      replaced: run.compaction?.upto ?? 0,
      skills: (run.prepared?.skills ?? []).map(({ name }) => name),
      memories: isOwn ? memories.map(({ content }) => content) : [],
      work_steps: run.prepared?.steps ?? []
    }
    if (sent === null) return { ...context, system: null, tools: null }
    const texts = yield* readTexts([sent.text, sent.tools, ...sent.skills ?? []])
    const text = (number: number) => texts.get(number) ?? ""
    const { day, time } = promptTime(sent.at, sent.zone ?? null)
    const parts = {
      day,
      creator,
      requester: sent.requester,
      team: notRecorded("the requester's colleagues"),
      time,
      task: taskPart(description),
      project: notRecorded("the project, its channel and messages there"),
      skills: (sent.skills ?? []).map(text).join("\n\n"),
      people: notRecorded("the members of the channel"),
      memories: isOwn || memories.length === 0 ? memoriesPart(memories) : notShown
    }
    const { only } = sent
    const tools = yield* Effect.orDie(decodeTools(text(sent.tools)))
    return {
      ...context,
      system: [filledPrompt(text(sent.text), parts), step?.wrapUp].filter((one) => one !== undefined).join("\n\n"),
      tools: only === undefined ? tools : tools.filter(({ name }) => only.includes(name))
    }
  })

const notShown = "[Not shown, as they are the memories of the task's creator]"

/** Placeholder for parts about other people, which are not stored: they would outlive the deletion of those people's data. */
const notRecorded = (what: string): string => `[Not recorded, as it may be data of other people: ${what}]`

const decodeTools = Schema.decode(Schema.parseJson(Schema.Array(BoundTool)))

/** The prompt of the last step, or of an earlier model step of the same run if that one was sent again. */
const promptAt = (steps: ReadonlyArray<JournalledStep>): SentPrompt | null => {
  const begin = steps.findLastIndex(({ step }) => step.kind === "woken")
  const kept = steps.slice(begin + 1).findLast(
    (entry): entry is JournalledStep & { readonly step: Modelled } =>
      entry.step.kind === "model" && entry.step.prompt !== undefined
  )
  return kept?.step.prompt ?? null
}
