import { useQuery } from "@tanstack/react-query"
import type { Task } from "@troupe/client"
import { recentStepsQuery } from "../../service/InboxQueries.ts"
import { fieldsIn } from "../../service/ParsedJson.ts"
import { stepQuery } from "../../service/StepQueries.ts"
import { useUserName } from "../../service/UserNames.ts"
import { visibleSigns } from "./approvals/ApprovalText.ts"
import { questionHere } from "./QuestionText.ts"

/** The question whether a mail may be sent has the beginning of a long text, between lines that are no text of the mail. */
const excerpt =
  /^(Its text, of \d+ characters:\n\n)[^]*?\[The first [^\]]* the rest was left out\.\](\n\nIt is sent if )/m

/** What the model wrote as the text of the mail; undefined if its call can't be read. */
const bodyIn = (args: string): string | undefined => {
  const body = fieldsIn(args).get("body")
  return typeof body === "string" ? body : undefined
}

/** Preformatted text of Markdown, in which the signs can be seen that hide or reorder others. */
const literal = (text: string): string =>
  visibleSigns(text.replace(/\r\n?/g, "\n")).replaceAll("\t", "  ").split("\n").map((line) => `    ${line}`).join("\n")

/** The question of a task, with the whole text of a mail that needs an approval; `isWhole`: whether all of it is there. */
export const useWholeQuestion = (task: Task): { readonly question: string; readonly isWhole: boolean } => {
  const creator = useUserName(task.creator)
  const question = questionHere(task.question ?? "", task.creator, creator ?? task.creator)
  const isCut = excerpt.test(question)
  const steps = useQuery({ ...recentStepsQuery(task), enabled: isCut }).data
  const seq = steps?.find(({ calls }) => calls.some(({ id }) => id === task.last_tool_call_id))?.seq
  const step = useQuery({ ...stepQuery(task.id, seq ?? 0), enabled: isCut && seq !== undefined }).data
  const call = step?.calls.find(({ id }) => id === task.last_tool_call_id)
  const body = call === undefined ? undefined : bodyIn(call.arguments)
  return !isCut || body === undefined
    ? { question, isWhole: !isCut }
    : {
      question: question.replace(excerpt, (_, before: string, rest: string) => before + literal(body) + rest),
      isWhole: true
    }
}
