import { Either, Predicate } from "effect"
import { splitFrontMatter, valueOf } from "../Skill/FrontMatter.ts"

export interface Persona {
  readonly name: string | null
  readonly role: string | null
  readonly specialization: string | null
  readonly tone: string | null
  readonly instructions: string | null
}

const maxCharacters = 500

/** Invalid front matter is ignored and reported as `problem`; the body is used all the same. */
export const parsePersona = (source: string): { readonly persona: Persona; readonly problem: string | null } => {
  const { body, yaml } = splitFrontMatter(source)
  const fields = yaml === null ? Either.right({}) : fieldsOf(yaml)
  const given: Readonly<Record<string, unknown>> = Either.getOrElse(fields, () => ({}))
  return {
    persona: {
      name: line(given["name"]),
      role: line(given["role"]),
      specialization: line(given["specialization"]),
      tone: line(given["tone"]),
      instructions: body.trim() || null
    },
    problem: Either.isLeft(fields) ? fields.left : null
  }
}

const fieldsOf = (yaml: string): Either.Either<Readonly<Record<string, unknown>>, string> =>
  valueOf(yaml).pipe(
    Either.map((value) => value ?? {}),
    Either.filterOrLeft(Predicate.isRecord, () => "the front matter must be names with values")
  )

const line = (given: unknown): string | null => {
  if (typeof given !== "string") return null
  const text = given.replaceAll(/\s+/g, " ").trim().replace(/\.$/, "")
  return text === "" ? null : text.slice(0, maxCharacters)
}
