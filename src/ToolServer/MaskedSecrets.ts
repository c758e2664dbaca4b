import { keptSecret, type ToolServerEntry, type ToolServersRequest } from "@troupe/api/ToolServersApi"
import { ToolServersInvalid } from "@troupe/domain/ToolServer"
import { Array, Either, Record, Redacted, Schema } from "effect"
import { isDeepStrictEqual } from "node:util"
import { clientSecretName, type DefinitionWith, definitionWith, secretsOf, type StoredServer } from "./ToolServer.ts"

const Masked = definitionWith(Schema.Unknown)

/** A server as a request gives it, with the mask for each secret. */
export const maskedEntry = (server: typeof Masked.Type): ToolServerEntry => entryWith(server, () => keptSecret)

/** A server as a request gives it, with this text for each secret. */
export const entryWith = <A>(server: DefinitionWith<A>, textOf: (secret: A) => string): ToolServerEntry => {
  const shown = (secrets: Readonly<Record<string, A>>) => Record.map(secrets, textOf)
  return {
    ...(server.transport === "stdio"
      ? {
        command: server.command,
        ...(server.args.length === 0 ? {} : { args: server.args }),
        ...(server.cwd === null ? {} : { cwd: server.cwd }),
        ...(Record.isEmptyRecord(server.env) ? {} : { env: shown(server.env) })
      }
      : {
        type: server.transport,
        url: server.url,
        ...(Record.isEmptyRecord(server.headers) ? {} : { headers: shown(server.headers) }),
        ...(server.signIn === null ? {} : signInEntry(server.signIn, textOf))
      }),
    ...(server.disabled ? { disabled: true } : {}),
    ...(server.timeoutSeconds === null ? {} : { timeout_seconds: server.timeoutSeconds }),
    ...(server.allowedTools === null ? {} : { allowed_tools: server.allowedTools })
  }
}

type SignIn<A> = NonNullable<Extract<DefinitionWith<A>, { readonly transport: "http" | "sse" }>["signIn"]>

const signInEntry = <A>(
  { clientId, clientSecret, grant, perUser, scopes }: SignIn<A>,
  textOf: (secret: A) => string
): ToolServerEntry => ({
  auth: "oauth",
  ...(perUser ? { per_user: true } : {}),
  ...(clientId === null ? {} : { client_id: clientId }),
  ...(clientSecret === null ? {} : { client_secret: textOf(clientSecret) }),
  ...(grant === "authorization_code" ? {} : { grant_type: grant }),
  ...(scopes === null ? {} : { scope: scopes })
})

type Mistake = ToolServersInvalid["mistakes"][number]

/** What a secret is given to, besides the environment. Another program or address must not get it. */
const holderOf = ({ args, command, cwd, url }: ToolServerEntry): string =>
  JSON.stringify([command ?? null, args ?? [], cwd ?? null, url ?? null])

/** The request with the stored secrets in place of their masks. */
export const withKeptSecrets = (
  { mcpServers }: ToolServersRequest,
  stored: ReadonlyArray<StoredServer>
): Either.Either<ToolServersRequest, ToolServersInvalid> => {
  const mistakes: Array<Mistake> = []
  const wholeOf = (name: string, entry: ToolServerEntry): ToolServerEntry => {
    const known = stored.find((server) => server.name === name)
    if (entry.client_secret !== keptSecret) return entry
    // The server chooses who gets the client's secret, so it must be the same one.
    const isSame = known !== undefined && holderOf(known.entry) === holderOf(entry)
      && known.entry.client_id === entry.client_id
    const kept = isSame && Either.isRight(known.server) ? secretsOf(known.server.right)[clientSecretName] : undefined
    if (kept !== undefined) return { ...entry, client_secret: Redacted.value(kept) }
    mistakes.push({ path: `mcpServers.${name.slice(0, 64)}.client_secret`, message: whyNotKept })
    return entry
  }
  const complete = (name: string, entry: ToolServerEntry, field: "env" | "headers") => {
    const given = entry[field]
    if (given === undefined || given === null || !Object.values(given).includes(keptSecret)) return {}
    const known = stored.find((server) => server.name === name)
    const isSame = known !== undefined && holderOf(known.entry) === holderOf(entry)
    const secrets = isSame && Either.isRight(known.server) ? secretsOf(known.server.right) : {}
    const storedOf = (key: string) => Object.hasOwn(secrets, key) ? secrets[key] : undefined
    // A variable may make the program run other code or send its secrets elsewhere: NODE_OPTIONS, an address. One with
    // the stored value is refused too, for else the response would say whether a guess is right.
    const isKept = field === "headers" || Object.values(given).every((value) => value === keptSecret)
    return {
      [field]: Record.map(given, (value, key) => {
        if (value !== keptSecret) return value
        const kept = isKept ? storedOf(key) : undefined
        if (kept === undefined) {
          mistakes.push({ path: `mcpServers.${name.slice(0, 64)}.${field}.${key.slice(0, 64)}`, message: whyNotKept })
        }
        return kept === undefined ? value : Redacted.value(kept)
      })
    }
  }
  const servers = Record.map(mcpServers, (entry, name) => ({
    ...wholeOf(name, entry),
    ...complete(name, entry, "env"),
    ...complete(name, entry, "headers")
  }))
  return Array.isNonEmptyReadonlyArray(mistakes)
    ? Either.left(new ToolServersInvalid({ mistakes }))
    : Either.right({ mcpServers: servers })
}

const whyNotKept =
  `the value itself: ${keptSecret} keeps the stored one only if the server's name, command, arguments, folder and url are `
  + "unchanged, and each variable of env is kept"

/**
 * Whether the entry, as a request gives it, leaves a stored server and what it refers to as they are: with a mask for
 * each secret, since a literal that counted would answer guesses.
 */
export const keepsReferences = (entry: ToolServerEntry, known: StoredServer | undefined): boolean => {
  if (known === undefined || Either.isLeft(known.server) || known.server.right.variables !== "service") return false
  const masks = Record.map(secretsOf(known.server.right), () => keptSecret)
  const { client_secret: secret } = entry
  const given = {
    ...entry.env ?? entry.headers,
    ...(secret === undefined ? {} : { [clientSecretName]: secret })
  }
  return holderOf(known.entry) === holderOf(entry) && known.entry.client_id === entry.client_id
    && isDeepStrictEqual(given, { ...masks })
}
