import { fence } from "@troupe/domain/Fence"
import { headOf } from "@troupe/domain/ToolResult"
import type { User } from "@troupe/domain/User"
import { Context, Effect, Layer } from "effect"
import { type Project, type ProjectChannel, Projects } from "../People/Projects.ts"
import { Roster } from "../People/Roster.ts"
import type { AgentTask } from "./AgentLoop.ts"
import type { Persona } from "./PersonaFile.ts"
import { Personas } from "./Personas.ts"

/** What an agent is told of whom and where it works for. What is not known is null. */
export interface Briefing {
  /** Who asks, as far as more than the id is known. */
  readonly requester: string | null
  /** The others who work with the service. */
  readonly team: string | null
  readonly persona: Persona | null
  readonly projectContext: string | null
  readonly teamContext: string | null
}

const nothing: Briefing = { requester: null, team: null, persona: null, projectContext: null, teamContext: null }

/** The project whose persona counts for tasks of no project. */
const noProject = "default"

/** Gathers, once a run of the loop, the facts of a system prompt that cost a look at files or tables. */
export class Briefings extends Context.Tag("troupe/Agent/Briefings")<Briefings, {
  readonly of: (task: AgentTask) => Effect.Effect<Briefing>
}>() {
  static readonly layer: Layer.Layer<Briefings, never, Projects | Roster> = Layer.effect(
    this,
    Effect.gen(function*() {
      const projects = yield* Projects
      const roster = yield* Roster
      const personas = yield* Personas
      return Briefings.of({
        of: Effect.fnUntraced(function*({ projectId, userId }) {
          const { colleagues, requester } = yield* roster.introduce(userId)
          const people = { requester: requester === null ? null : requesterOf(requester), team: teamOf(colleagues) }
          const project = yield* projects.find(projectId ?? noProject)
          const persona = project.folder === null ? null : yield* personas.of(project.folder)
          return projectId === null
            ? { ...nothing, ...people, persona }
            : {
              ...people,
              persona,
              projectContext: projectContextOf(project),
              teamContext: teamContextOf(project.channel)
            }
        })
      })
    })
  ).pipe(Layer.provide(Personas.layer))

  /** Tells of nothing. */
  static readonly layerNoop: Layer.Layer<Briefings> = Layer.succeed(this, { of: () => Effect.succeed(nothing) })
}

/** What people and chat platforms say of somebody is data, each fact a line. */
const factsOf = ({ display_name, id, name, responsibilities, timezone, title }: User) => ({
  name: line(display_name ?? (name === id ? null : name)),
  title: line(title),
  timezone: line(timezone),
  responsibilities: line(responsibilities)
})

const line = (text: string | null): string | null => {
  const words = (text ?? "").replaceAll(/\s+/g, " ").trim()
  return words === "" ? null : headOf(words, 500)
}

const requesterOf = (user: User): string | null => {
  const { name, responsibilities, timezone, title } = factsOf(user)
  const lines = [["Name", name], ["Title", title], ["Time zone", timezone], ["Responsible for", responsibilities]]
    .flatMap(([label, value]) => (value === null ? [] : [`${label}: ${value}`]))
  return lines.length === 0 ? null : fence("requester", lines.join("\n"))
}

const teamOf = (users: ReadonlyArray<User>): string | null =>
  users.length === 0 ? null : fence(
    "colleagues",
    users.map((user) => {
      const { name, responsibilities, title } = factsOf(user)
      return member(name ?? user.id, title, responsibilities)
    }).join("\n")
  )

const member = (name: string, role: string | null, responsibilities: string | null): string =>
  `- ${name}${role === null ? "" : ` (${role})`}${responsibilities === null ? "" : `: ${responsibilities}`}`

/** Names and messages of a channel come from its people: they are data. */
const projectContextOf = ({ channel, name }: Project): string =>
  [
    `The task belongs to this project:\n\n${
      fence("project", [`Name: ${name}`, ...(channel === null ? [] : [`Channel: ${channel.name}`])].join("\n"))
    }`,
    ...(channel === null || channel.summary === null ? [] : [fence("channel_summary", channel.summary)]),
    ...(channel === null || channel.pending.length === 0
      ? []
      : [fence("pending_messages", channel.pending.map(({ at, from, text }) => `[${at}] ${from}: ${text}`).join("\n"))])
  ].join("\n\n")

const teamContextOf = (channel: ProjectChannel | null): string | null =>
  channel === null || channel.members.length === 0 ? null : fence(
    "team",
    channel.members.map(({ name, responsibilities, role }) => member(name, role, responsibilities)).join("\n")
  )
