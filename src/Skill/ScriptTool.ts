import { ToolClass } from "@troupe/domain/Policy"
import { SkillTool } from "@troupe/domain/Skill"
import { Either, Option, Predicate, Schema } from "effect"
import { argumentsCheckOf } from "./ArgumentsCheck.ts"
import { documentOf } from "./Library/FrontMatter.ts"
import { scriptsFolder, type Skill } from "./Skill.ts"

/** A script of a skill that is offered as a tool. */
export interface ScriptTool extends SkillTool {
  readonly skill: string
}

/** The tools that a SKILL.md lists, and why it is not all that it lists. */
export interface FoundTools {
  readonly tools: ReadonlyArray<SkillTool>
  readonly warnings: ReadonlyArray<string>
}

/** The scripts that are tools, by the names of the skills; of two skills with one name, those of the later one. */
export const scriptToolsOf = (skills: ReadonlyArray<Skill>): ReadonlyArray<ScriptTool> =>
  [...new Map(skills.map((skill) => [skill.name, skill])).values()]
    .toSorted((one, other) => one.name < other.name ? -1 : 1)
    .flatMap(({ name, tools }) => tools.map((tool) => ({ ...tool, skill: name })))

/** The `tools` of front matter. Those that can't be used are left out with the reason. */
export const toolsIn = (yaml: string): FoundTools => {
  const listed = listIn(yaml)
  if (listed === null) return none
  if (!Array.isArray(listed)) {
    return { tools: [], warnings: [`tools: expected a list of maps with ${fields.join(", ")}`] }
  }
  const warnings: Array<string> = []
  const tools = new Map<string, SkillTool>()
  for (const [index, given] of listed.entries()) {
    const title = `tools.${index}${nameIn(given)}`
    const tool = Either.filterOrLeft(
      toolOf(given),
      ({ name }) => !tools.has(name),
      () => "another tool before it has the same name"
    )
    if (Either.isLeft(tool)) warnings.push(`${title} is left out: ${tool.left}`)
    else tools.set(tool.right.name, tool.right)
    const unknown = Predicate.isRecord(given) ? Object.keys(given).filter((field) => !fields.includes(field)) : []
    if (Either.isRight(tool) && unknown.length > 0) {
      warnings.push(`${title}: ${unknown.join(", ")} is none of ${fields.join(", ")}; it is not used`)
    }
  }
  return { tools: [...tools.values()], warnings }
}

/** Without the tools whose scripts the skill does not have. */
export const withScripts = ({ tools, warnings }: FoundTools, scripts: ReadonlyArray<string>): FoundTools => {
  const isThere = ({ script }: SkillTool) => scripts.includes(script)
  return {
    tools: tools.filter(isThere),
    warnings: [
      ...warnings,
      ...tools.filter((tool) => !isThere(tool)).map(({ name, script }) =>
        `tools (${name}) is left out: there is no file ${scriptsFolder}/${script}`
      )
    ]
  }
}

const none: FoundTools = { tools: [], warnings: [] }

const fields = Object.keys(SkillTool.fields)

/** Numbers and truth values have their types here, as a schema needs them. */
const listIn = (yaml: string): unknown => {
  const given = Either.getOrNull(Either.try((): unknown => documentOf(yaml, "core").toJS({ maxAliasCount: 0 })))
  return Predicate.isRecord(given) ? given["tools"] ?? null : null
}

const textIn = (given: unknown): string =>
  Predicate.isString(given) || Predicate.isNumber(given) ? `${given}`.trim() : ""

const nameIn = (given: unknown): string => {
  const name = Predicate.isRecord(given) ? textIn(given["name"]).slice(0, 100) : ""
  return name === "" ? "" : ` (${name})`
}

const decodeClass = Schema.decodeUnknownOption(ToolClass)

const toolOf = (given: unknown): Either.Either<SkillTool, string> =>
  Either.gen(function*() {
    if (!Predicate.isRecord(given)) return yield* Either.left(`it is no map with ${fields.join(", ")}`)
    const name = textIn(given["name"])
    if (!/^[\w-]{1,64}$/.test(name)) {
      return yield* Either.left("its name is not 1 to 64 letters, digits, hyphens and underscores")
    }
    const description = textIn(given["description"])
    if (description === "") return yield* Either.left("description is missing or empty")
    const script = textIn(given["script"]).replace(/^(?:\.\/)?scripts\//, "")
    if (script === "") return yield* Either.left("script is missing or empty")
    const declared = Option.getOrNull(decodeClass(given["class"] ?? "outside"))
    if (declared === null) return yield* Either.left(`class is none of ${ToolClass.literals.join(", ")}`)
    const parameters = given["parameters"] ?? noParameters
    if (!Predicate.isRecord(parameters)) return yield* Either.left("parameters: they are no map")
    yield* Either.mapLeft(argumentsCheckOf(parameters), (why) => `parameters: ${why}`)
    return { name, description, script, parameters, class: declared }
  })

const noParameters: SkillTool["parameters"] = { type: "object", properties: {}, additionalProperties: false }
