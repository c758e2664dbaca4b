import type { Approval, Task } from "@troupe/client"
import { viaTexts } from "../../../service/Doer.ts"
import type { DoneBy } from "../thread/ThreadItem.ts"

/** The signs that can't be seen, or that change the order of others, by their numbers: `⟨U+202E⟩`. */
export const visibleSigns = (text: string): string =>
  text.replace(/\r\n/g, "\n").replace(
    /[^\n\t\P{C}]|[\u2028\u2029\u2800]|\p{Default_Ignorable_Code_Point}/gu,
    (sign) => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`
  )

/** Longer JSON has a line for each of its values. */
const mostOfLine = 80

/** A text is itself; any other value is JSON. */
export const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  const line = JSON.stringify(value)
  return line.length <= mostOfLine ? line : JSON.stringify(value, null, 2)
}

/** Characters of an argument that are shown at once. */
export const firstShown = 4_000

export const isLong = ({ arguments: given }: Approval): boolean =>
  Object.values(given).some((value) => textOf(value).length > firstShown)

/** Where the links in a text lead, each host once. */
export const hostsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    [...text.matchAll(/\b[a-z][a-z\d+.-]{0,30}:\/\/[^\s"'`<>\\]+/gi)].flatMap(([link]) => {
      try {
        return new URL(link).host || []
      } catch {
        return "a link that can't be read"
      }
    })
  )
]

export const isOpen = ({ status }: Approval): boolean => status === "open"

export const isMail = ({ server, tool }: Approval): boolean => server === null && tool === "send_email"

/** The open calls of a question that shows them one by one; the question of one mail is the mail itself. */
export const rowsIn = ({ approvals, choices, status }: Task): ReadonlyArray<Approval> =>
  status === "waiting_input" && approvals.some(isOpen) && choices[0] !== "Send" ? approvals.filter(isOpen) : []

interface Person {
  readonly role: string
  readonly signed_in_by: string
  readonly user: { readonly id: string }
}

/** Whether the person may decide about the call, as the service has it: of a task that is nobody's, owner and admins do. */
export const mayDecide = (
  { role, signed_in_by, user: { id } }: Person,
  { assignee, creator }: Pick<Task, "assignee" | "creator">,
  { who }: Pick<Approval, "who">
): boolean => {
  if (signed_in_by === "none" || who.includes(id)) return true
  const isNobodys = [creator, assignee ?? creator].every((one) => one === "system")
  return who.includes("requester") && [creator, assignee].includes(id)
    || role !== "member" && (who.includes("admin") || isNobodys)
}

const ways = Object.keys(viaTexts)
const isWay = (via: string | null): via is NonNullable<DoneBy["via"]> => via !== null && ways.includes(via)

/** Who decided about the call, and by which way. */
export const deciderOf = ({ decided_by, via }: Approval): DoneBy => ({
  user_id: decided_by,
  name: null,
  via: isWay(via) ? via : null
})

const approvers: Readonly<Record<string, string>> = {
  requester: "its creator or assignee",
  admin: "an owner or admin"
}

export const approversText = ({ who }: Approval, nameOf: (id: string) => string): string =>
  who.map((one) => approvers[one] ?? nameOf(one)).join(", ")
