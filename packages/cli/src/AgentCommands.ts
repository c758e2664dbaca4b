import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import type { AgentDetail, AgentSummary } from "@troupe/domain/Agent"
import { Effect } from "effect"
import { connection } from "./Arguments.ts"
import { list, safeLine, safeText, type TextStyle } from "./Format.ts"
import { writeReload, writeResult } from "./Screen.ts"
import { call, forService, segment } from "./Service.ts"

const agentTable = list<AgentSummary>(
  ["NAME", ({ name }) => safeLine(name), "bold"],
  ["SOURCE", ({ source }) => source, "dim"],
  [
    "WARNINGS",
    ({ warnings }) => warnings.length === 0 ? "-" : `${warnings.length}`,
    ({ warnings }) => warnings.length === 0 ? "dim" : "yellow"
  ],
  ["DESCRIPTION", ({ description }) => safeLine(description, 120), "dim"]
)

const facts = (agent: AgentDetail): ReadonlyArray<readonly [string, string]> =>
  Object.entries({
    Revision: agent.revision,
    Model: agent.model,
    Tools: agent.tools === null ? "all" : agent.tools.join(", ") || "none",
    Without: agent.disallowed_tools.join(", "),
    Skills: agent.skills === null ? null : agent.skills.join(", ") || "none",
    Memory: agent.memory === "none" ? "none" : null,
    Channels: agent.channels.join(", "),
    Webhooks: agent.webhooks.join(", "),
    Mailboxes: agent.mailboxes.join(", ")
  }).flatMap(([name, value]) => value === null || value === "" ? [] : [[name, value] as const])

const agentText = (agent: AgentDetail, paint: TextStyle): string =>
  [
    `${paint.bold(safeLine(agent.name))}  ${paint.dim(safeLine(agent.path, 1000))}\n${safeText(agent.description)}\n`,
    ...facts(agent).map(([name, value]) => `${name}: ${safeLine(value, 1000)}\n`),
    ...agent.warnings.map((warning) => `${paint.yellow("!")} ${safeLine(warning, 1000)}\n`),
    `\n${safeText(agent.instructions).trim()}\n`
  ].join("")

const name = Args.text({ name: "agent" }).pipe(Args.withDescription("Name of the agent"))

const show = Command.make(
  "show",
  { ...connection, name },
  ({ json, name }) =>
    call((client) => client.agents.find({ path: { agent_name: segment(name) } })).pipe(
      Effect.flatMap((agent) => writeResult(agent, { json, text: agentText }))
    )
).pipe(forService("Shows an agent with its instructions"))

const reload = Command.make(
  "reload",
  connection,
  ({ json }) => Effect.flatMap(call((client) => client.agents.reload({})), writeReload("agents", json))
).pipe(forService("Reads the folder of agents again"))

export const agents = Command.make(
  "agents",
  connection,
  ({ json }) =>
    call((client) => client.agents.list({ urlParams: { limit: 1000 } })).pipe(
      Effect.flatMap((found) => writeResult(found, { json, text: agentTable }))
    )
).pipe(
  forService("Lists the agents; shows and reloads them"),
  Command.withSubcommands([show, reload])
)
