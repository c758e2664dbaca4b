import * as CliConfig from "@effect/cli/CliConfig"
import * as CommandDescriptor from "@effect/cli/CommandDescriptor"
import type * as HelpDoc from "@effect/cli/HelpDoc"
import type * as Span from "@effect/cli/HelpDoc/Span"
import { HashMap, Option } from "effect"
import { examples } from "./Examples.ts"
import { table } from "./Format.ts"

/** An argument, option or command with what it means. */
interface Entry {
  readonly name: string
  readonly text: string
}

interface Sections {
  readonly description: string
  readonly entries: Readonly<Record<string, ReadonlyArray<Entry>>>
}

const textOf = (span: Span.Span): string => {
  switch (span._tag) {
    case "Text":
      return span.value
    case "Sequence":
      return textOf(span.left) + textOf(span.right)
    case "URI":
      return String(span.value)
    default:
      return textOf(span.value)
  }
}

const blocksOf = (doc: HelpDoc.HelpDoc): ReadonlyArray<HelpDoc.HelpDoc> =>
  doc._tag === "Sequence" ? [...blocksOf(doc.left), ...blocksOf(doc.right)] : [doc]

/** What the parser's own help says of every option of a kind. */
const boilerplate = new RegExp(
  "^(?:A user-defined piece of text(?: that is confidential)?|A true or false value|An integer"
    + "|An? (?:existing )?(?:file|directory|path)|One of the following: .*|This (?:option|argument|setting) .*)\\.?$"
)

const meaningOf = (doc: HelpDoc.HelpDoc): string =>
  blocksOf(doc).flatMap((block) => block._tag === "Paragraph" ? [textOf(block.value)] : [])
    .filter((text) => text !== "" && !boilerplate.test(text)).join(" ")

/** The parser's description of a command, by its headings. */
const sectionsOf = (doc: HelpDoc.HelpDoc): Sections => {
  let heading = ""
  let description = ""
  const entries: Record<string, ReadonlyArray<Entry>> = {}
  for (const block of blocksOf(doc)) {
    if (block._tag === "Header") heading = textOf(block.value)
    if (block._tag === "Paragraph" && heading === "DESCRIPTION") description = textOf(block.value)
    if (block._tag === "DescriptionList") {
      const found = block.definitions.map(([name, text]) => ({ name: textOf(name), text: meaningOf(text) }))
      entries[heading] = [...(entries[heading] ?? []), ...found]
    }
    if (block._tag === "Enumeration") {
      entries[heading] = block.elements.map((element) => ({ name: meaningOf(element).split(" ")[0] ?? "", text: "" }))
    }
  }
  return { description, entries }
}

const everywhere = new Set([
  "--url",
  "--token",
  "--json",
  "--help",
  "--log-level",
  "--wizard",
  "--version",
  "--completions"
])

const words: Readonly<Record<string, string>> = {
  text: "<text>",
  redacted: "<text>",
  integer: "<number>",
  file: "<file>",
  directory: "<folder>"
}

const choices = / (\w[\w-]*(?: \| [\w-]+)+)$/

/** `(-n, --limit integer)` as `-n, --limit <number>`. Choices are listed after the meaning. */
const optionOf = ({ name, text }: Entry): Entry => {
  const plain = name.replace(/^\((.*)\)/, "$1").replace(/\.\.\.$/, "")
  const values = choices.exec(plain)?.[1]
  return values === undefined
    ? { name: plain.replace(/ (\w+)$/, (_, word: string) => ` ${words[word] ?? word}`), text }
    : { name: plain.replace(choices, " <one>"), text: `${text}: ${values.replaceAll(" | ", ", ")}` }
}

const isEverywhere = ({ name }: Entry): boolean => everywhere.has(/--[a-z-]+/.exec(name)?.[0] ?? "")

const argumentName = (name: string): string => name.replace(/ \d+\+$/, "...")

const rows = (title: string, entries: ReadonlyArray<Entry>): string =>
  entries.length === 0 ? "" : `\n${title}:\n${table(entries.map(({ name, text }) => ["", name, text]))}`

type Descriptor = CommandDescriptor.Command<unknown>

const helpDocOf = (descriptor: Descriptor): Sections =>
  sectionsOf(CommandDescriptor.getHelp(descriptor, CliConfig.defaultConfig))

const describe = (path: string, descriptor: Descriptor, inner: HashMap.HashMap<string, Descriptor>): string => {
  const { description, entries } = helpDocOf(descriptor)
  const options = (entries["OPTIONS"] ?? []).filter((entry) => !isEverywhere(entry)).map(optionOf)
  const args = (entries["ARGUMENTS"] ?? []).map(({ name, text }) => ({ name: argumentName(name), text }))
  const commands = (entries["COMMANDS"] ?? []).flatMap(({ name }) =>
    Option.toArray(HashMap.get(inner, name)).map((command) => ({
      name: `${path} ${name}`,
      text: helpDocOf(command).description
    }))
  )
  const usage = ["troupe", path, "[options]", ...args.map(({ name }) => name)].join(" ")
  return [
    `${description}\n\nUsage: ${usage}\n`,
    rows("Arguments", args),
    rows("Options", options),
    rows("Commands", commands),
    "\ntroupe --help describes the options of every command: --url, --token, --json.\n",
    `\nExample:\n  troupe ${path}${examples[path] === undefined ? "" : ` ${examples[path]}`}\n`
  ].join("")
}

/** The help of the command that the words name, in our words; none if they name no command. */
export const helpOf = (
  commands: ReadonlyMap<string, Descriptor>,
  given: ReadonlyArray<string>
): Option.Option<string> => {
  const [name = "", within = ""] = given.filter((word) => !word.startsWith("-"))
  return Option.map(Option.fromNullable(commands.get(name)), (command) => {
    const inner = CommandDescriptor.getSubcommands(command)
    return Option.match(within === name ? Option.none() : HashMap.get(inner, within), {
      onNone: () => describe(name, command, inner),
      onSome: (one) => describe(`${name} ${within}`, one, HashMap.empty())
    })
  })
}
