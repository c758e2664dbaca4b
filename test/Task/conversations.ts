import { call, says, scriptedModel, type Turn } from "../support/ScriptedModel.ts"

/** A call that sends out a subtask. */
export const dispatch = (id: string, work: string, more: object = {}) =>
  call(id, "dispatch_subagent", { task_description: work, ...more })

/** A model that plays one script for each conversation, known by how it begins: any number may go on at a time. */
export const cast = (scripts: Readonly<Record<string, ReadonlyArray<Turn>>>) => {
  const turn: Turn = (asked) => {
    const opening = asked.messages[0]?.content ?? ""
    const name = Object.keys(scripts).find((name) => opening.includes(name)) ?? "nobody"
    const place = asked.messages.filter(({ role }) => role === "assistant").length
    return (scripts[name]?.[place] ?? says("Done."))(asked)
  }
  return scriptedModel(...Array.from({ length: 100 }, () => turn))
}
