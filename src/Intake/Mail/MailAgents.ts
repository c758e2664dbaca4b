import { Effect, Option } from "effect"
import type { Claim } from "../../Agent/Definition/AgentClaims.ts"
import { Agents } from "../../Agent/Definition/Agents.ts"
import type { ParsedMail } from "../../Wire/MailParser.ts"

interface ForAgent {
  readonly agent: string | null
  readonly claim: Claim
}

/** The agent that a mail is for: `troupe+sales@...` names it. A name that no agent has counts as no name. */
export const makeMailAgents = Effect.map(
  Agents,
  (agents) => (mail: ParsedMail, ownAddresses: ReadonlyArray<string>): Effect.Effect<ForAgent> => {
    const delivered = deliveredTo(mail)
    const all = [...new Set([...delivered, ...[...mail.to, ...mail.cc].map(({ address }) => address.toLowerCase())])]
    const tagged = all.flatMap((address) => {
      const { base, tag } = splitTag(address)
      const isOurs = ownAddresses.length === 0 || ownAddresses.includes(base) || delivered.includes(address)
      return tag === "" || !isOurs ? [] : [tag]
    })
    const names = [...new Set(all.flatMap((address) => [address, splitTag(address).base]))]
    return Effect.map(
      Effect.forEach(tagged, (tag) => Effect.option(agents.find(tag))),
      (found) => ({
        agent: Option.match(Option.firstSomeOf(found), { onNone: () => null, onSome: ({ name }) => name }),
        claim: { field: "mailboxes", names }
      })
    )
  }
)

const splitTag = (address: string): { readonly base: string; readonly tag: string } => {
  const [local = "", domain = ""] = address.split("@")
  const plus = local.indexOf("+")
  return plus <= 0
    ? { base: address, tag: "" }
    : { base: `${local.slice(0, plus)}@${domain}`, tag: local.slice(plus + 1) }
}

/** In which mail servers write whom they delivered a mail to, whatever it says of itself. */
const deliveryHeaders = new Set(["delivered-to", "envelope-to", "x-delivered-to", "x-envelope-to", "x-original-to"])

const deliveredTo = ({ headers }: ParsedMail): ReadonlyArray<string> =>
  headers.filter(({ name }) => deliveryHeaders.has(name)).map(({ value }) =>
    value.trim().replace(/^<|>$/g, "").toLowerCase()
  )
