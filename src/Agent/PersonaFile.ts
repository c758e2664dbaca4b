import { Either, Predicate } from "effect"
import { parseDocument } from "yaml"

/** Who the agent is in a project (service.md, "Persona file"). What the file leaves out is null. */
export interface Persona {
  readonly name: string | null
  readonly role: string | null
  readonly specialization: string | null
  readonly tone: string | null
  readonly instructions: string | null
}

const frontMatter = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?:\n|$)/

/** Most characters of a name, role, specialization or tone. */
const mostCharacters = 500

/**
 * Reads the text of a SOUL.md. Front matter that can't be read is left out, and `problem` says why; the body counts
 * all the same.
 */
export const parsePersona = (source: string): { readonly persona: Persona; readonly problem: string | null } => {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n")
  const found = frontMatter.exec(text)
  const fields = found === null ? Either.right({}) : fieldsOf(found[1] ?? "")
  const body = text.slice(found?.[0].length ?? 0).trim()
  const given: Readonly<Record<string, unknown>> = Either.getOrElse(fields, () => ({}))
  return {
    persona: {
      name: line(given["name"]),
      role: line(given["role"]),
      specialization: line(given["specialization"]),
      tone: line(given["tone"]),
      instructions: body === "" ? null : body
    },
    problem: Either.isLeft(fields) ? fields.left : null
  }
}

/** All scalars stay texts, as written. Aliases have no business here. */
const fieldsOf = (yaml: string): Either.Either<Readonly<Record<string, unknown>>, string> => {
  const document = parseDocument(yaml, { schema: "failsafe", logLevel: "silent", prettyErrors: true })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem !== undefined) return Either.left(`the front matter is no YAML: ${problem.message.split("\n")[0]}`)
  return Either.try({
    try: (): unknown => document.toJS({ maxAliasCount: 0 }),
    catch: () => "the front matter must not use YAML aliases"
  }).pipe(
    Either.map((value) => value ?? {}),
    Either.filterOrLeft(Predicate.isRecord, () => "the front matter must be names with values")
  )
}

const line = (given: unknown): string | null => {
  if (typeof given !== "string") return null
  const text = given.replaceAll(/\s+/g, " ").trim().replace(/\.$/, "")
  return text === "" ? null : text.slice(0, mostCharacters)
}
