import type { AgentSource } from "@troupe/domain/Agent"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import type { Dirent } from "node:fs"
import { join, relative } from "node:path"
import { decodeText } from "../../Runtime/TextDecoding.ts"
import { parseBytes } from "../../Skill/Library/Fields.ts"
import { entriesOf, isLink, readUnlessSame } from "../../Skill/Library/LibraryFile.ts"
import { type FolderFormat, type Found, type Scan, scanFolder } from "../../Skill/Library/LibraryFolder.ts"
import { type Agent, agentFileName } from "./Agent.ts"
import { parse } from "./AgentFile.ts"

/** The agents of a folder: `<name>.md`, or `<name>/AGENT.md`. */
export const scan = (
  root: string,
  source: AgentSource,
  known: ReadonlyMap<string, Found<Agent>>
): Effect.Effect<Scan<Found<Agent>>> => scanFolder(root, formatOf(source), known)

/** `.agent.md` and `.chatmode.md` are how some systems name these files. */
const ending = /(?:\.agent|\.chatmode)?\.md$/i

/** In which other systems write agents. */
const otherEnding = /\.(?:toml|ya?ml|json|mdc|markdown)$/i

const formatOf = (source: AgentSource): FolderFormat<Found<Agent>> => ({
  noun: "agent",
  isCandidate: (entry) =>
    entry.name !== "node_modules"
    && (entry.isDirectory() || entry.isSymbolicLink() || ending.test(entry.name) || otherEnding.test(entry.name)),
  read: (root, entry, known) => readAgent(root, entry, source, known)
})

const readAgent = (root: string, entry: Dirent, source: AgentSource, known: Found<Agent> | undefined) =>
  Effect.gen(function*() {
    if (entry.isSymbolicLink()) return yield* Effect.fail(isLink)
    if (!entry.isDirectory() && !ending.test(entry.name)) return yield* Effect.fail(isOther)
    const place = join(root, entry.name)
    const path = entry.isDirectory() ? join(place, yield* fileIn(place)) : place
    const name = entry.isDirectory() ? entry.name : entry.name.replace(ending, "")
    const { bytes, stamp } = yield* readUnlessSame(path, known?.stamp)
    if (bytes === null && known !== undefined) return known
    const content = bytes ?? new Uint8Array()
    const { aliases, text, warnings } = yield* parseBytes(content, (text) => parse(text, name))
    const item: Agent = {
      ...text,
      aliases,
      warnings,
      source,
      path,
      place: relative(root, path),
      revision: createHash("sha256").update(content).digest("hex").slice(0, 12),
      content: decodeText(content)
    }
    return {
      item,
      path: place,
      place: `"${entry.name}"`,
      isNamesake: name === item.name,
      stamp,
      version: stamp
    }
  })

const isOther = "an agent is a Markdown file with front matter, and its name ends in .md"

const fileIn = (folder: string) =>
  Effect.flatMap(entriesOf(folder), (entries) => {
    const names = entries.map(({ name }) => name)
    const file = names.find((name) => name === agentFileName)
      ?? names.find((name) => name.toLowerCase() === agentFileName.toLowerCase())
    return file === undefined
      ? Effect.fail(`there is no ${agentFileName}; files of agents are read in the folder itself, not in folders of it`)
      : Effect.succeed(file)
  })
