import type { ChatPost } from "@troupe/domain/TeamChat"
import { headOf, shortened } from "@troupe/domain/Text"
import type { Button, ChatMessage, Piece } from "../ChatMessage.ts"
import { escaped, mrkdwnOf, mrkdwnOfLines } from "./Mrkdwn.ts"
import { splitMessage } from "./MrkdwnText.ts"

/** The platform's maximum lengths: of a section's text, of a button's label and value; and of buttons in a row. */
const maxSection = 3_000
const maxLabel = 75
const maxValue = 2_000
const maxButtons = 25

/** A message in mrkdwn; with buttons, its last part is in blocks. */
export const postsOf = ({ buttons: wanted = [], text }: ChatMessage): ReadonlyArray<ChatPost> => {
  const buttons = shownButtons(wanted)
  const showAll = buttons.length > 0 && buttons.every(({ label }) => label.length <= maxLabel)
  const parts = splitMessage(mrkdwnOfPieces(text, showAll), buttons.length > 0 ? maxSection : undefined)
  return parts.map((part, at) =>
    buttons.length > 0 && at === parts.length - 1
      ? { text: part, controls: [section(part), actions(buttons)] }
      : { text: part }
  )
}

/** A message that was posted, with other buttons or none. */
export const closedPost = (
  text: string,
  line: ReadonlyArray<Piece>,
  buttons: ReadonlyArray<Button> = []
): ChatPost => {
  const below = mrkdwnOfPieces(line, false)
  const shown = shownButtons(buttons)
  return {
    text: `${text}\n\n${below}`,
    controls: [section(text), section(below), ...(shown.length === 0 ? [] : [actions(shown)])]
  }
}

/** All of them, or none where the platform does not take all. */
const shownButtons = (buttons: ReadonlyArray<Button>): ReadonlyArray<Button> =>
  buttons.length > maxButtons || buttons.some(({ value }) => value.length > maxValue) ? [] : buttons

const mrkdwnOfPieces = (pieces: ReadonlyArray<Piece>, showAll: boolean): string =>
  pieces.map((piece) => mrkdwnOfPiece(piece, showAll)).join("")

const mrkdwnOfPiece = (piece: Piece, showAll: boolean): string => {
  if (typeof piece === "string") return escaped(piece)
  switch (piece._tag) {
    case "Bold":
      return `*${escaped(piece.text)}*`
    case "Italic":
      return `_${escaped(piece.text)}_`
    case "Link":
      return `<${escaped(piece.url)}|${escaped(piece.label)}>`
    case "Markdown":
      return (piece.keepsLines ? mrkdwnOfLines : mrkdwnOf)(showAll ? piece.text : piece.listed)
    case "Mention":
      return `<@${piece.user}>`
    case "Time":
      return `<!date^${piece.epochSeconds}^{date_long_pretty} at {time}|${escaped(piece.words)}>`
  }
}

/** Verbatim: a bare @here in it notifies nobody. */
const section = (text: string) => ({
  type: "section",
  text: { type: "mrkdwn", text: headOf(text, maxSection), verbatim: true }
})

const actions = (buttons: ReadonlyArray<Button>) => ({ type: "actions", elements: buttons.map(buttonOf) })

/** An `action_id` is unique in its message, so a number follows where there are several of one kind. */
const buttonOf = ({ action, label, value }: Button, at: number, all: ReadonlyArray<Button>) => ({
  type: "button",
  action_id: all.filter((one) => one.action === action).length > 1 ? `${action}:${at}` : action,
  text: { type: "plain_text", text: shortened(label, maxLabel), emoji: false },
  value
})
