import { createHash } from "node:crypto"

/** Maximum length of a tool's name for model providers. */
const maxName = 64

interface Named {
  readonly server: string
  readonly name: string
}

/**
 * The names under which agents call the tools: `<server>__<tool>`, with `_` for characters that model providers reject.
 * One that is too long or shared ends in a digest, so that it does not depend on the order of the tools.
 */
export const boundNames = <A extends Named>(
  tools: ReadonlyArray<A>,
  taken: ReadonlySet<string> = new Set()
): ReadonlyMap<string, A> => {
  const sharing = new Map<string, Array<A>>()
  for (const tool of tools) sharing.set(plainName(tool), [...sharing.get(plainName(tool)) ?? [], tool])
  const bound = new Map<string, A>()
  for (const [plain, sharers] of sharing) {
    const exact = sharers.filter((tool) => plain === fullName(tool))
    for (const tool of sharers) {
      const isPlain = plain.length <= maxName && !taken.has(plain)
        && (sharers.length === 1 || (exact.length === 1 && tool === exact[0]))
      const name = isPlain ? plain : digestName(tool, plain)
      if (!bound.has(name) && !taken.has(name)) bound.set(name, tool)
    }
  }
  return bound
}

export const mayBeOf = (server: string, boundName: string): boolean =>
  boundName.startsWith(plainName({ server, name: "" }))

const fullName = ({ name, server }: Named): string => `${server}__${name}`

const plainName = (tool: Named): string => fullName(tool).replace(/[^a-zA-Z0-9_-]/g, "_")

const digestName = (tool: Named, plain: string): string => {
  const digest = createHash("sha256").update(`${tool.server}\0${tool.name}`).digest("hex").slice(0, 8)
  return `${plain.slice(0, maxName - 9)}_${digest}`
}
