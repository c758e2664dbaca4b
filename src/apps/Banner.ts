import { version } from "@troupe/domain/Version"
import { Config, Effect, Option } from "effect"
import { hostInUrl } from "../Runtime/NetworkAddress.ts"
import { settingUp } from "../Runtime/Settings/ModelProviders.ts"
import type { Settings } from "../Runtime/Settings/Settings.ts"
import { probe } from "../Skill/ScriptConfinement.ts"
import { judge } from "../Skill/ScriptRules.ts"

export type ProcessRole = "all" | "api" | "worker" | "ingestor" | "chat-handler"

type Line = readonly [name: string, text: string]

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d{1,3}){3}|::1)$/.test(host)

/** Every role's own address, and the API's pages for people. */
const addresses = (
  role: ProcessRole,
  { chat, http, ingestor, isHosted }: Settings["Type"],
  hasConsole: boolean
): ReadonlyArray<Line> => {
  const at = (port: number) => `http://${hostInUrl(http.host)}:${port}`
  switch (role) {
    case "worker":
      return []
    case "ingestor":
      return [["Webhooks", `${at(ingestor.port)}/webhook/{type}`]]
    case "chat-handler":
      return [["Chat", `${at(chat.handlerPort)}/team-chat/command`]]
    default:
      return [
        ["Address", at(http.port)],
        ["Console", hasConsole ? `${at(http.port)}/console/` : "not built, see the messages of npm start"],
        ...(http.publicUrl.origin === at(http.port) ? [] : [["Public", http.publicUrl.href] as const]),
        ...(isHosted ? [] : [["Docs", `${at(http.port)}/docs`] as const]),
        ["Health", `${at(http.port)}/api/health`]
      ]
  }
}

const runsTasks = (role: ProcessRole): boolean => role === "all" || role === "worker"

/** How scripts of skills are confined here; null where the role runs none. */
export const scriptsOf = (role: ProcessRole, { isHosted, skills }: Settings["Type"]): Effect.Effect<string | null> =>
  !runsTasks(role) ? Effect.succeed(null) : Effect.orElseSucceed(Config.string("PATH"), () => "").pipe(
    Effect.flatMap(probe),
    Effect.map((confinement) =>
      judge(confinement, { isHosted, allowUnconfined: skills.allowUnconfinedScripts, network: skills.scriptNetwork })
    ),
    Effect.map(({ detail, fix }) => fix === null ? detail : `${detail} How to change that: npx troupe doctor`)
  )

const model = ({ model: { provider } }: Settings["Type"]): string =>
  provider._tag === "offline"
    ? `offline, unless one was connected. It only runs lines such as use list_directory {}. For a real model connect one in the console, or set ${settingUp}`
    : `${provider.model} (${provider._tag})`

/** What works only after a setting. */
const off = ({ chat, mail }: Settings["Type"]): ReadonlyArray<string> => [
  ...(Option.isSome(chat.token) && Option.isSome(chat.signingSecret)
    ? []
    : ["team chat (CHAT_BOT_TOKEN, CHAT_SIGNING_SECRET)"]),
  ...(Option.isSome(mail.smtp) ? [] : ["sending mail (SMTP_HOST, SMTP_FROM)"]),
  ...(Option.isSome(mail.inbox) ? [] : ["reading mail (IMAP_HOST, IMAP_USER, IMAP_PASSWORD)"])
]

const warnings = (role: ProcessRole, settings: Settings["Type"]): ReadonlyArray<string> => [
  ...settings.warnings,
  ...(role !== "worker" && !settings.isHosted && !isLoopback(settings.http.host)
    ? [
      `HOST=${settings.http.host} lets everyone who reaches this address use the service: there is no sign-in. Set `
      + "HOST=127.0.0.1, put a proxy with sign-in before it, or use DEPLOYMENT_MODE=hosted."
    ]
    : [])
]

const red = (text: string) => `\u001b[31m${text}\u001b[39m`

/** What an operator needs to know once the service is ready. */
export const banner = (
  role: ProcessRole,
  settings: Settings["Type"],
  { hasConsole, isColored, scripts }: {
    readonly hasConsole: boolean
    readonly isColored: boolean
    readonly scripts: string | null
  }
): string => {
  const { database, storage } = settings
  const where = Option.isSome(database.url)
    ? "PostgreSQL at DATABASE_URL"
    : `embedded PostgreSQL in ${database.dataDir}`
  const missing = off(settings)
  const lines: ReadonlyArray<Line> = [
    ...addresses(role, settings, hasConsole),
    ["Data", `${where}, files in ${storage.path}`],
    ...(runsTasks(role) ? [["Model", model(settings)] as const] : []),
    ...(scripts === null ? [] : [["Scripts", scripts] as const]),
    ...(missing.length === 0 ? [] : [["Off", missing.join(", ")] as const])
  ]
  return [
    `Troupe ${version} is ready${role === "all" ? "" : ` (${role})`}`,
    ...lines.map(([name, text]) => `  ${name.padEnd(8)} ${text}`),
    ...warnings(role, settings).map((text) =>
      `  ${isColored ? red("Warning") : "Warning"}  ${isColored ? red(text) : text}`
    )
  ].join("\n")
}
