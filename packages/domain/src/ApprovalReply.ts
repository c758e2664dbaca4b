import { approvalChoices, mailChoices } from "./Approval.ts"
import { plural, stripped, visibleText } from "./Text.ts"

/** What a line of a reply says about the calls of a question; null as `rows`: about all. */
interface LineDecision {
  readonly approves: boolean
  /** Places in the question, from 1. */
  readonly rows: ReadonlyArray<number> | null
}

export interface ApprovalReply {
  readonly lines: ReadonlyArray<LineDecision>
  /** What follows the decision. */
  readonly rest: string
}

const words: ReadonlyArray<readonly [word: string, approves: boolean]> = [approvalChoices, mailChoices].flatMap(
  ([approving, denying]) => [[denying.toLowerCase(), false], [approving.toLowerCase(), true]] as const
)

/** Of a line that decides. */
const maxLine = 200
const maxPlace = 999

/** Marks around a word that was copied, and the signs that end a sentence. */
const marks = " \t\"'`*_“”„«»"

const plainLineOf = (line: string): string =>
  stripped(visibleText(line).replaceAll("’", "'"), marks, `${marks}.!`).toLowerCase()

const all = /^(?:(?:them|all|everything|both)(?: of (?:them|it))?|all (?:calls|rows))$/
const separators = /\s*(?:[,;&+]|\band\b|\s)\s*/
const noun = /^(?:(?:calls?|rows?|numbers?|no\.?|nr\.?|items?)\s*)/

/** Places in the forms `1 3`, `1, 2 and 3`, `#1 #3`, `1-3`, `1.`; null: something else. */
const placesIn = (text: string): ReadonlyArray<number> | null => {
  const places: Array<number> = []
  const joined = text.replace(noun, "").replaceAll("–", "-").replaceAll(" -", "-").replaceAll("- ", "-")
  for (const part of joined.split(separators)) {
    if (part === "") continue
    const [, from, to] = /^#?(\d{1,3})[.)]?(?:-#?(\d{1,3})[.)]?)?$/.exec(part) ?? []
    if (from === undefined) return null
    const [first, last] = [Number(from), Number(to ?? from)]
    if (first < 1 || last < first || last > maxPlace) return null
    for (let place = first; place <= last; place++) places.push(place)
  }
  return places.length === 0 ? null : [...new Set(places)]
}

const decisionIn = (line: string): LineDecision | null => {
  if (line.length > maxLine) return null
  const text = plainLineOf(line)
  const found = words.find(([word]) => text.startsWith(word))
  if (found === undefined) return null
  const [word, approves] = found
  const about = text.slice(word.length)
  if (about === "") return { approves, rows: null }
  if (!/^[\s:,#]/.test(about)) return null
  const given = about.replace(/^[\s:,]+/, "").replaceAll(/["'`*_“”„«»]+/gu, "")
  if (given === "" || all.test(given)) return { approves, rows: null }
  const rows = placesIn(given)
  return rows === null ? null : { approves, rows }
}

/**
 * A reply to a question for approval whose first line decides: `approve` or `deny`, alone or with places. Lines that decide about
 * further places may follow. Null: it is any other text.
 */
export const approvalReplyIn = (text: string): ApprovalReply | null => {
  const lines = text.trim().split(/\r\n|\r|\n/)
  const decisions: Array<LineDecision> = []
  for (const line of lines) {
    const found = decisionIn(line)
    if (found === null) break
    decisions.push(found)
  }
  return decisions.length === 0 ? null : { lines: decisions, rest: lines.slice(decisions.length).join("\n").trim() }
}

/** A call of the question, in its order. */
export interface ReplyRow {
  readonly call: string
  readonly isOpen: boolean
  readonly isDestructive: boolean
  readonly isWhole: boolean
  /** The person may decide about it. */
  readonly isAllowed: boolean
}

interface Decided {
  readonly call: string
  readonly approves: boolean
}

/** What the reply decides, and about which calls it does not and why. Where it names places, either all of them count or none. */
export const decisionsOf = (
  { lines }: ApprovalReply,
  rows: ReadonlyArray<ReplyRow>
): { readonly decisions: ReadonlyArray<Decided>; readonly left: ReadonlyArray<string> } => {
  const nameOf = (place: number) => rows.length === 1 ? "The call" : `Call ${place}`
  const whyNot = (place: number, approves: boolean): string | null => {
    const row = rows[place - 1]
    return row === undefined
      ? `There is no call ${place}: the question has ${plural(rows.length, "call")}.`
      : !row.isOpen
      ? `${nameOf(place)} is decided already.`
      : !row.isAllowed
      ? `${nameOf(place)} is for others to decide.`
      : approves && row.isDestructive
      ? `${nameOf(place)} destroys something, which no mail approves.`
      : approves && !row.isWhole
      ? `${nameOf(place)} is too long for the mail, which has not shown all of it.`
      : null
  }
  const [first] = lines
  if (lines.length > 1 && lines.some(({ rows: places }) => places === null)) {
    return { decisions: [], left: ["It decides about the same calls more than once, so nothing was decided."] }
  }
  if (first?.rows === null) {
    const open = rows.flatMap(({ call, isOpen }, at) => isOpen ? [{ call, why: whyNot(at + 1, first.approves) }] : [])
    return {
      decisions: open.flatMap(({ call, why }) => why === null ? [{ call, approves: first.approves }] : []),
      left: open.length === 0 ? ["All of it is decided already."] : open.flatMap(({ why }) => why ?? [])
    }
  }
  const named = lines.flatMap(({ approves, rows: places }) => (places ?? []).map((place) => ({ approves, place })))
  const twice = named.filter(({ place }, at) => named.findIndex((one) => one.place === place) !== at)
  const left = [
    ...twice.map(({ place }) => `${nameOf(place)} is named twice.`),
    ...named.flatMap(({ approves, place }) => whyNot(place, approves) ?? [])
  ]
  return {
    decisions: left.length > 0
      ? []
      : named.flatMap(({ approves, place }) => {
        const call = rows[place - 1]?.call
        return call === undefined ? [] : [{ call, approves }]
      }),
    left: left.length > 0 && named.length > 1 ? [...left, "So nothing of it was decided."] : left
  }
}
