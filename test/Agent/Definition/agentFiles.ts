import { Either } from "effect"
import { parse } from "../../../src/Agent/Definition/AgentFile.ts"

/** The agent in a file, its fields compared as plain values. */
export const read = (source: string, entry = "file") => {
  const { aliases, text, warnings } = Either.getOrThrowWith(parse(source, entry), (reason) => new Error(reason))
  return { text: { ...text, name: `${text.name}` }, aliases, warnings }
}
