import { approvalChoices, type AskedCall, mailChoices, whyItAsks } from "@troupe/domain/Approval"
import { shownArguments } from "@troupe/domain/AskedText"
import { type EqualApprovals, sameText } from "@troupe/domain/EqualApprovals"
import { defaultUser } from "@troupe/domain/Ids"
import type { SeenContext } from "@troupe/domain/SeenContext"
import { plural } from "@troupe/domain/Text"
import { hostsIn, visibleLine } from "@troupe/domain/VisibleSigns"
import type { CallReview } from "../Tool/AgentTool.ts"
import { literal } from "../Tool/MailApproval.ts"

export interface AskingCall {
  readonly asked: AskedCall
  readonly review: CallReview | null
  readonly equal: EqualApprovals | null
}

/** All rows of a turn are one question: what would be done, by which rule it asks, and what the model has seen. */
export const approvalQuestion = (
  calls: ReadonlyArray<AskingCall>,
  seen: SeenContext,
  requester: string
): { readonly question: string; readonly choices: ReadonlyArray<string> } => {
  const [only, another] = calls
  const single = another === undefined ? only?.review?.question ?? null : null
  if (only !== undefined && single !== null) {
    return {
      question: [
        single,
        ...linksIn(only.asked),
        [...whoseTexts(requester, seen), whyOf(only)].join(" "),
        ...proposalIn(only)
      ].join("\n\n"),
      choices: mailChoices
    }
  }
  const isOne = another === undefined
  return {
    question: [
      isOne ? "May the agent make this call?" : `May the agent make these ${calls.length} calls?`,
      ...[whoseTexts(requester, seen).join(" ")].filter((text) => text !== ""),
      ...calls.flatMap((call, at) => partsOf(call, isOne ? "" : `${at + 1}. `)),
      isOne ? howToDecide(only) : `${approvalChoices[0]} and ${approvalChoices[1]} are about all of them.`
    ].join("\n\n"),
    choices: approvalChoices
  }
}

const whoseTexts = (requester: string, { outside, privateSince }: SeenContext): ReadonlyArray<string> => [
  // Who works alone on a service without sign-in has no name.
  ...(requester === defaultUser ? [] : [`The task belongs to ${visibleLine(requester)}.`]),
  ...(outside === null
    ? []
    : [
      `The agent has seen something from outside since ${sinceText(outside.since)}: ${visibleLine(outside.because)}.`
    ]),
  ...(privateSince === null ? [] : [`The agent has seen something private since ${sinceText(privateSince)}.`])
]

const sinceText = (step: number): string => step === 0 ? "the request" : `step ${step}`

const howToDecide = (only: AskingCall | undefined): string =>
  `It is made if you answer ${approvalChoices[0]} and nothing else${
    only?.asked.class === "destructive"
      ? ", by a button or in the console: a call that destroys something is approved by no typed message and no mail."
      : "."
  } Any other text but ${approvalChoices[1]} is a message to the agent.`

const partsOf = (call: AskingCall, place: string): ReadonlyArray<string> => {
  const { asked } = call
  return [
    `${place}${visibleLine(asked.tool)}${
      asked.server === null ? "" : ` of the tool server ${visibleLine(asked.server)}`
    } (${asked.class}). ${whyOf(call)} Its arguments:`,
    literal(shownArguments(asked.arguments)),
    ...linksIn(asked),
    ...(asked.files.length === 0
      ? []
      : [literal(asked.files.map(({ path, size }) => `File: ${visibleLine(path)} (${plural(size, "byte")})`))]),
    ...proposalIn(call)
  ]
}

/** After many equal approvals: what need not be asked any more, and how often that would have been. */
const proposalIn = ({ asked, equal }: AskingCall): ReadonlyArray<string> => {
  if (equal === null) return []
  const last = `${equal.approved} of the last ${plural(equal.of, "call")} of ${
    visibleLine(asked.tool)
  } that a person decided about`
  const same = visibleLine(sameText(equal.same))
  const done = `${last} were like this one, ${same}, and all of these were approved.`
  return asked.class !== "destructive"
    ? [
      `${done} In the console you can approve later ones with it: a grant for calls ${same} would have covered these ${equal.approved}.`
    ]
    : asked.cause === "preset"
    ? [
      `${done} An owner or admin can write a rule that allows them, in the console under Policy: it would have covered these ${equal.approved}.`
    ]
    : []
}

const linksIn = (asked: AskedCall): ReadonlyArray<string> => {
  const hosts = hostsIn(asked.arguments)
  return hosts.length === 0 ? [] : ["Links in it lead to:", literal(hosts.map(visibleLine))]
}

const whyOf = ({ asked }: AskingCall): string => visibleLine(whyItAsks({ ...asked, cause: asked.cause ?? null }))
