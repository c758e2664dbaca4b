import type { ToolServerEntry } from "@troupe/api/ToolServersApi"
import type { ToolServersInvalid } from "@troupe/domain/ToolServer"
import type { ToolServer } from "./ToolServer.ts"
import { hasReferences, namesIn, type Referring, textsOf, unreadableIn } from "./VariableReferences.ts"

type Mistake = ToolServersInvalid["mistakes"][number]

/** Variables that a text of the server takes from the environment of the service. */
export const namesOfService = ({ env }: ToolServerEntry, { isCommand, text }: Referring): ReadonlyArray<string> =>
  namesIn(text).filter((name) => !isCommand || !Object.hasOwn(env ?? {}, name))

/** Which variables the texts of the server refer to; none: the texts are used as they are. */
export const variablesOf = (entry: ToolServerEntry): ToolServer["variables"] => {
  const texts = textsOf(entry)
  if (texts.some((referring) => namesOfService(entry, referring).length > 0)) return "service"
  return texts.some(({ text }) => hasReferences(text)) ? "own" : "none"
}

/** What can't be resolved in the texts of a server that may use the environment of the service, or not. */
export const referenceMistakes = (
  path: string,
  entry: ToolServerEntry,
  mayUseEnvironment: boolean
): ReadonlyArray<Mistake> =>
  textsOf(entry).flatMap((referring) => {
    const { field, isCommand, text } = referring
    const unreadable = unreadableIn(text, isCommand)
    const [refused] = mayUseEnvironment ? [] : namesOfService(entry, referring)
    return [
      ...(unreadable === undefined ? [] : [{
        path: `${path}.${field}`,
        message: `${unreadable.slice(0, 100)} can't be resolved: give the value itself, or ${forms}`
      }]),
      ...(refused === undefined ? [] : [{
        path: `${path}.${field}`,
        message: "${" + refused +
          "} is a variable of the service's environment, which on a hosted instance only the servers "
          + `of MCP_CONFIG_FILE may use: give the value itself; ${escape}`
      }])
    ]
  })

const escape = "$${ stands for the text ${"
const forms = "refer to a variable of the service's environment by ${NAME}, ${NAME:-default} or ${env:NAME}; " + escape
