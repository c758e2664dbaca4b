import { fence } from "@troupe/domain/Fence"
import { Context, Effect, Layer } from "effect"
import { type Project, type ProjectChannel, Projects } from "../People/Projects.ts"
import type { AgentTask } from "./AgentLoop.ts"
import type { Persona } from "./PersonaFile.ts"
import { Personas } from "./Personas.ts"

/** What an agent is told of the place that it works in. What is not known is null. */
export interface Briefing {
  readonly persona: Persona | null
  readonly projectContext: string | null
  readonly teamContext: string | null
}

const nothing: Briefing = { persona: null, projectContext: null, teamContext: null }

/** The project whose persona counts for tasks of no project. */
const noProject = "default"

/** Gathers, once a run of the loop, the facts of a system prompt that cost a look at files or tables. */
export class Briefings extends Context.Tag("troupe/Agent/Briefings")<Briefings, {
  readonly of: (task: AgentTask) => Effect.Effect<Briefing>
}>() {
  static readonly layer: Layer.Layer<Briefings, never, Projects> = Layer.effect(
    this,
    Effect.gen(function*() {
      const projects = yield* Projects
      const personas = yield* Personas
      return Briefings.of({
        of: Effect.fnUntraced(function*({ projectId }) {
          const project = yield* projects.find(projectId ?? noProject)
          const persona = project.folder === null ? null : yield* personas.of(project.folder)
          return projectId === null
            ? { ...nothing, persona }
            : { persona, projectContext: projectContextOf(project), teamContext: teamContextOf(project.channel) }
        })
      })
    })
  ).pipe(Layer.provide(Personas.layer))

  /** Tells of nothing. */
  static readonly layerNoop: Layer.Layer<Briefings> = Layer.succeed(this, { of: () => Effect.succeed(nothing) })
}

const quoted = (name: string): string => JSON.stringify(name)

/** Names and messages of a channel come from its people: they are data. */
const projectContextOf = ({ channel, name }: Project): string =>
  [
    `The task belongs to the project ${quoted(name)}${
      channel === null ? "" : `, whose channel is ${quoted(channel.name)}`
    }.`,
    ...(channel === null || channel.summary === null ? [] : [fence("channel_summary", channel.summary)]),
    ...(channel === null || channel.pending.length === 0
      ? []
      : [fence("pending_messages", channel.pending.map(({ at, from, text }) => `[${at}] ${from}: ${text}`).join("\n"))])
  ].join("\n\n")

const teamContextOf = (channel: ProjectChannel | null): string | null =>
  channel === null || channel.members.length === 0 ? null : fence(
    "team",
    channel.members.map(({ name, responsibilities, role }) =>
      `- ${name}${role === null ? "" : ` (${role})`}${responsibilities === null ? "" : `: ${responsibilities}`}`
    ).join("\n")
  )
