import { Config, Option, Redacted } from "effect"
import { join } from "node:path"
import { hostInUrl, isSecureUrl } from "../NetworkAddress.ts"
import { consoleAddress } from "../PublicAddress.ts"
import { agent, agents, memory, model, policy, skills, toolServers } from "./AgentSettings.ts"
import { chat, gateways, inbox, mail, schedules, webhooks } from "./IntakeSettings.ts"
import { chosenProvider, contextTokensOf, providerRules, temperatureOf } from "./ModelProviders.ts"
import { core, hosted, storage, telemetry, workers } from "./ServiceSettings.ts"
import { required, rule, ruleByName } from "./Setting.ts"
import { standardKeys, standardSecret } from "./SettingFormats.ts"

const groups = {
  ...core,
  ...storage,
  ...model,
  ...agent,
  ...agents,
  ...skills,
  ...chat,
  ...mail,
  ...inbox,
  ...schedules,
  ...webhooks,
  ...toolServers,
  ...memory,
  ...policy,
  ...workers,
  ...telemetry,
  ...hosted
}

/** No gateway has the name of another group. */
const given = Config.unwrap({
  ...groups,
  ...gateways satisfies { readonly [Name in keyof typeof groups]?: never }
})
type Given = Config.Config.Success<typeof given>

const isHosted = Config.map(core.deploymentMode, (mode) => mode === "hosted")
const isSet = (setting: Config.Config<Option.Option<unknown>>) => Config.map(setting, Option.isSome)

/** Rules between settings. They read the settings again, so that violations are reported beside every other mistake. */
const rules = Config.all([
  required(hosted.team.issuer, isHosted, "DEPLOYMENT_MODE=hosted"),
  required(hosted.team.audience, isHosted, "DEPLOYMENT_MODE=hosted"),
  required(hosted.team.ownerEmail, isHosted, "DEPLOYMENT_MODE=hosted"),
  required(hosted.signIn.clientId, isSet(hosted.signIn.clientSecret), "OIDC_CLIENT_SECRET is set"),
  rule(
    core.http.publicUrl,
    isSet(hosted.signIn.clientId),
    (url, isClient) =>
      isClient && Option.exists(url, ({ href }) => !isSecureUrl(href))
        ? "an address that begins with https:// (http:// only on this machine), because OIDC_CLIENT_ID is set"
        : null
  ),
  required(storage.database.url, isSet(storage.database.directUrl), "DATABASE_DIRECT_URL is set"),
  providerRules,
  required(mail.smtp.from, isSet(mail.smtp.host), "SMTP_HOST is set"),
  required(mail.smtp.password, isSet(mail.smtp.user), "SMTP_USER is set"),
  required(inbox.imap.user, isSet(inbox.imap.host), "IMAP_HOST is set"),
  required(inbox.imap.password, isSet(inbox.imap.host), "IMAP_HOST is set"),
  required(
    inbox.imap.trustedAuthserv,
    Config.map(Config.all([isHosted, isSet(inbox.imap.host)]), ([hosted, isSet]) => hosted && isSet),
    "DEPLOYMENT_MODE=hosted and IMAP_HOST is set: else a forged sender has the rights of that member"
  ),
  required(mail.smtp.user, isSet(mail.smtp.password), "SMTP_PASSWORD is set"),
  rule(
    agent.agent.maxRecentMessages,
    agent.agent.compactionThreshold,
    (recent, threshold) => recent > threshold ? `at most COMPACTION_THRESHOLD (${threshold})` : null
  ),
  rule(
    core.http.maxEventStreamsPerCaller,
    core.http.maxConnections,
    (streams, connections) =>
      Option.exists(streams, (given) => given >= connections)
        ? `below MAX_CONNECTIONS (${connections}), as each event stream holds a connection`
        : null
  ),
  ruleByName(
    webhooks.webhooks.schemes,
    webhooks.webhooks.secrets,
    (_, secrets, name) =>
      secrets.has(name) ? null : `left out, or given with WEBHOOK_SECRET_${name}: without it nothing is verified`
  ),
  ruleByName(
    webhooks.webhooks.secrets,
    webhooks.webhooks.schemes,
    (secret, schemes, name) =>
      schemes.get(name) === "standard" && standardKeys(Redacted.value(secret)).length === 0
        ? `${standardSecret} (required because WEBHOOK_SCHEME_${name}=standard)`
        : null
  )
])

const httpOf = ({ deploymentMode, http }: Given) => {
  const local = new URL(`http://${hostInUrl(http.host)}:${http.port}`)
  return {
    ...http,
    publicUrl: Option.getOrElse(http.publicUrl, () => local),
    // A team is not on this machine, and port 0 is another one at each start.
    console: Option.map(http.publicUrl, consoleAddress).pipe(
      Option.getOrElse(() => deploymentMode === "hosted" || http.port === 0 ? null : consoleAddress(local))
    ),
    maxEventStreamsPerCaller: Option.getOrElse(
      http.maxEventStreamsPerCaller,
      () => Math.min(deploymentMode === "hosted" ? 100 : Infinity, Math.ceil(http.maxConnections / 2))
    )
  }
}

const modelOf = ({ model }: Given, provider: Config.Config.Success<typeof chosenProvider>) => ({
  ...model,
  provider,
  contextTokens: Option.getOrElse(model.contextTokens, () => contextTokensOf(provider._tag)),
  temperature: Option.getOrElse(model.temperature, () => temperatureOf(provider._tag)),
  givenTemperature: model.temperature
})

const smtpPorts = { true: 465, starttls: 587, false: 25 } as const

const smtpOf = ({ smtp: { from, host, password, port, secure, user } }: Given) =>
  Option.map(Option.all({ host, from }), (server) => ({
    ...server,
    secure,
    port: Option.getOrElse(port, () => smtpPorts[secure]),
    login: Option.all({ user, password })
  }))

const imapPorts = { true: 993, starttls: 143, false: 143 } as const

const inboxOf = ({ imap: { host, mailbox, password, port, secure, user, ...reading } }: Given) =>
  Option.map(Option.all({ host, user, password }), (server) => ({
    ...reading,
    imap: { ...server, mailbox, secure, port: Option.getOrElse(port, () => imapPorts[secure]) }
  }))

/** Nobody has signed in to send webhooks of team chat, so what all of them may cost is limited where that matters. */
const webhooksOf = ({ deploymentMode, webhooks }: Given) => {
  const isHosted = deploymentMode === "hosted"
  const chatPerMinute = Option.getOrElse(webhooks.chatPerMinute, () => isHosted ? 60 : 600)
  return { ...webhooks, chatPerMinute, chatInAllPerMinute: isHosted ? chatPerMinute : 0 }
}

/** All settings with the defaults that depend on others; fails with every mistake, not only the first. */
export const settingsConfig = Config.map(Config.all([given, chosenProvider, rules]), ([given, provider]) => {
  const { imap: _, providers: __, recipients, seats, smtp: ___, ...rest } = given
  const under = (path: Option.Option<string>, name: string) =>
    Option.getOrElse(path, () => join(given.database.dataDir, name))
  const isHosted = given.deploymentMode === "hosted"
  return {
    ...rest,
    isHosted,
    http: httpOf(given),
    storage: { ...given.storage, path: under(given.storage.path, "files") },
    projects: { path: under(given.projects.path, "projects") },
    agents: { ...given.agents, path: under(given.agents.path, "agents") },
    skills: { ...given.skills, path: under(given.skills.path, "skills") },
    model: modelOf(given, provider),
    webhooks: webhooksOf(given),
    mail: {
      smtp: smtpOf(given),
      inbox: inboxOf(given),
      checkInterval: given.imap.check,
      recipientDomains: recipients.domains
    },
    tracing: Option.map(given.tracing.endpoint, (endpoint) => ({ ...given.tracing, endpoint })),
    team: isHosted
      ? Option.map(Option.all(given.team), (team) => ({ ...team, ...seats }))
      : Option.none()
  }
})
