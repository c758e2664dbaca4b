import type { InvitationLetter, MemberId } from "@troupe/domain/Team"

type Person = NonNullable<InvitationLetter["owner"]>

/** Names are entered by people: without what could end a line, or be markup or an address. */
const plain = (name: string): string =>
  name.replace(/[^\p{L}\p{M}\p{N} '-]+/gu, " ").replace(/ +/g, " ").trim().slice(0, 100)

const nameOf = ({ email, name }: Person): string => {
  const given = plain(name ?? "")
  return given === "" ? email : `${given} (${email})`
}

export const inviterOf = ({ inviter }: Pick<InvitationLetter, "inviter">): string =>
  inviter === null ? "The operator of the service" : nameOf(inviter)

/** A deployment is one team, known by its owner. */
export const teamOf = ({ inviter, owner }: Pick<InvitationLetter, "inviter" | "owner">): string =>
  owner === null || inviter?.email === owner.email ? "their team" : `the team of ${nameOf(owner)}`

export const invitationAddress = ({ href }: URL, id: MemberId): string =>
  new URL(`invitation/${id}`, href.endsWith("/") ? href : `${href}/`).href
