import { approvalChoices, type AskedCall, mailChoices } from "@troupe/domain/Approval"
import type { SeenContext } from "@troupe/domain/SeenContext"
import { plural } from "@troupe/domain/Text"
import { Predicate } from "effect"
import type { CallReview } from "../Tool/AgentTool.ts"
import { literal, oneLine, visible } from "../Tool/MailApproval.ts"

export interface AskingCall {
  readonly asked: AskedCall
  readonly review: CallReview | null
}

/** All rows of a turn are one question: what would be done, by which rule it asks, and what the model has seen. */
export const approvalQuestion = (
  calls: ReadonlyArray<AskingCall>,
  { outside }: SeenContext,
  requester: string
): { readonly question: string; readonly choices: ReadonlyArray<string> } => {
  const [only, another] = calls
  if (only !== undefined && another === undefined && only.review !== null) {
    return { question: only.review.question, choices: mailChoices }
  }
  const isOne = another === undefined
  return {
    question: [
      isOne ? "May the agent make this call?" : `May the agent make these ${calls.length} calls?`,
      `The task is of ${oneLine(requester)}.${
        outside === null
          ? ""
          : ` The agent has seen something from outside since ${
            outside.since === 0 ? "the request" : `step ${outside.since}`
          }: ${oneLine(outside.because)}.`
      }`,
      ...calls.flatMap(({ asked }, at) => partsOf(asked, isOne ? "" : `${at + 1}. `)),
      isOne
        ? `It is made if you answer ${approvalChoices[0]} and nothing else. Any other text but ${
          approvalChoices[1]
        } is a message to the agent.`
        : `${approvalChoices[0]} and ${approvalChoices[1]} decide all of them.`
    ].join("\n\n"),
    choices: approvalChoices
  }
}

const partsOf = (asked: AskedCall, place: string): ReadonlyArray<string> => [
  `${place}${oneLine(asked.tool)}${
    asked.server === null ? "" : ` of the tool server ${oneLine(asked.server)}`
  } (${asked.class}). ${whyOf(asked)} Its arguments:`,
  literal(shownArguments(asked.arguments)),
  ...(asked.files.length === 0
    ? []
    : [literal(asked.files.map(({ path, size }) => `File: ${oneLine(path)} (${plural(size, "byte")})`))])
]

const whyOf = ({ because, preset, rule }: AskedCall): string =>
  rule === null
    ? `The preset ${preset} asks about it.`
    : `Rule ${rule + 1} asks about it${because === null ? "." : `: ${oneLine(because)}`}`

const maxShown = 4_000

/** All of them; of long ones the beginning, and how much follows. */
const shownArguments = (json: string): ReadonlyArray<string> => {
  const parsed: unknown = JSON.parse(json)
  const text = Predicate.isReadonlyRecord(parsed) && Object.keys(parsed).length === 0
    ? "none"
    : visible(JSON.stringify(parsed, null, 2))
  return text.length <= maxShown
    ? text.split("\n")
    : [
      ...text.slice(0, maxShown).split("\n"),
      `[${text.length - maxShown} more characters: the task in the console shows all of them.]`
    ]
}
