import type { Shown } from "@troupe/domain/Shown"
import { markedData, plainLine } from "@troupe/domain/Text"
import { timeZoneOf, type User } from "@troupe/domain/User"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import { messageLine } from "../People/Channel/ChannelMessages.ts"
import { type Project, type ProjectChannel, Projects } from "../People/Channel/Projects.ts"
import { Directory } from "../People/User/Users.ts"
import { makeExpiringMap } from "../Runtime/Cache.ts"
import type { AgentTask } from "./AgentDependencies.ts"
import { makePersonas, type Persona } from "./Personas.ts"

export interface PromptTime {
  /** The same text for a whole day, so that providers can cache the prompt up to the time. */
  readonly day: string
  readonly time: string
  /** The time in the zone from which `day` and `time` are derived. */
  readonly at: number
  readonly zone: string | null
}

/** What the system prompt says about people, projects and the time; null if unknown. */
export interface ContextFacts {
  readonly now: PromptTime
  readonly requester: string | null
  readonly team: string | null
  readonly persona: Persona | null
  readonly projectContext: string | null
  readonly teamContext: string | null
  /** What of it comes from outside of the team. */
  readonly shown: Shown
}

/** The project whose persona applies to tasks without a project. */
const noProject = "default"

/** The facts of a task's system prompts, once a run of the loop; a change may take five seconds to be seen. */
export class PromptContext extends Context.Tag("troupe/Agent/PromptContext")<PromptContext, {
  readonly of: (task: AgentTask) => Effect.Effect<ContextFacts>
}>() {
  static readonly layer: Layer.Layer<PromptContext, never, Projects | Directory> = Layer.effect(
    this,
    Effect.gen(function*() {
      const projects = yield* Projects
      const directory = yield* Directory
      const personas = yield* makePersonas
      const kept = makeExpiringMap<string, Known>({ capacity: 1_000, timeToLive: "5 seconds" })

      const read = Effect.fnUntraced(function*(key: string, { creator: userId, projectId, toolAccess }: AgentTask) {
        const { colleagues, requester } = yield* directory.find(userId)
        const project = yield* projects.find(projectId ?? noProject, userId)
        const persona = project.folder === null ? null : yield* personas.get(project.folder)
        const known: Known = {
          timezone: requester?.timezone ?? null,
          requester: requester === null ? null : requesterOf(requester),
          // Colleagues matter for the work of a project. A task of an unknown sender does not learn who they are.
          team: projectId !== null && toolAccess === "all" ? teamOf(colleagues) : null,
          persona,
          projectContext: projectId === null ? null : projectContextOf(project),
          teamContext: projectId === null ? null : teamContextOf(project.channel),
          shown: projectId === null ? {} : shownBy(project.channel)
        }
        yield* kept.set(key, known)
        return known
      })

      return PromptContext.of({
        of: (task) =>
          Effect.clockWith((clock) => {
            const key = `${task.creator}\n${task.projectId}\n${task.toolAccess}`
            return Effect.map(
              Effect.flatMap(kept.get(key), Option.match({ onNone: () => read(key, task), onSome: Effect.succeed })),
              ({ timezone, ...facts }) => ({ ...facts, now: promptTime(clock.unsafeCurrentTimeMillis(), timezone) })
            )
          })
      })
    })
  )
}

/** Cached for a few seconds for other tasks of the same user and project. */
type Known = Omit<ContextFacts, "now"> & { readonly timezone: string | null }

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

export const promptTime = (epochMillis: number, timezone: string | null): PromptTime => {
  const utc = DateTime.unsafeMake(epochMillis)
  const zone = Option.flatMap(Option.fromNullable(timezone), timeZoneOf)
  const local = DateTime.setZone(utc, Option.getOrElse(zone, () => DateTime.zoneMakeOffset(0)))
  const { hours, minutes, weekDay } = DateTime.toParts(local)
  const known = Option.isSome(zone) ? timezone : "UTC; the requester's time zone is not known"
  return {
    day: `${weekdays[weekDay]}, ${DateTime.formatIsoDate(local)} (${known})`,
    time: `${twoDigits(hours)}:${twoDigits(minutes)} (UTC${DateTime.zonedOffsetIso(local)})`,
    at: epochMillis,
    zone: timezone
  }
}

const twoDigits = (value: number): string => value.toString().padStart(2, "0")

/** Profiles come from people and chat platforms: each field is one short line of data. */
const factsOf = ({ display_name, id, name, responsibilities, timezone, title }: User) => ({
  name: line(display_name ?? (name === id ? null : name)),
  title: line(title),
  timezone: line(timezone),
  responsibilities: line(responsibilities)
})

const maxField = 80

const line = (text: string | null): string | null => {
  const words = plainLine(text ?? "", maxField)
  return words === "" ? null : words
}

const shownBy = (channel: ProjectChannel | null): Shown =>
  channel?.pending.some(({ is_of_team }) => !is_of_team) === true
    ? { outside: "a message of a guest in the channel" }
    : channel?.isSummaryOutside === true
    ? { outside: "a summary of a channel in which guests wrote" }
    : {}

const requesterOf = (user: User): string | null => {
  const { name, responsibilities, timezone, title } = factsOf(user)
  const lines = [["Name", name], ["Title", title], ["Time zone", timezone], ["Responsible for", responsibilities]]
    .flatMap(([label, value]) => (value === null ? [] : [`${label}: ${value}`]))
  return lines.length === 0 ? null : markedData("requester", lines.join("\n"))
}

const teamOf = (users: ReadonlyArray<User>): string | null =>
  users.length === 0 ? null : markedData(
    "colleagues",
    users.map((user) => {
      const { name, title } = factsOf(user)
      return member(name ?? user.id, title, null)
    }).join("\n")
  )

const member = (name: string, role: string | null, responsibilities: string | null): string =>
  `- ${name}${role === null ? "" : ` (${role})`}${responsibilities === null ? "" : `: ${responsibilities}`}`

/** Names, topics and messages of a channel come from outside: they are data. */
const projectContextOf = ({ channel, name }: Project): string => {
  const facts = [["Name", name], ["Channel", channel?.name], ["Topic", channel?.topic], ["Purpose", channel?.purpose]]
    .flatMap(([label, value]) => value === undefined || value === "" ? [] : [`${label}: ${value}`]).join("\n")
  const pending = channel?.pending.map(messageLine) ?? []
  return [
    `The task belongs to this project:\n\n${markedData("project", facts)}`,
    ...(channel === null || channel.summary === null ? [] : [markedData("channel_summary", channel.summary)]),
    ...(pending.length === 0 ? [] : [markedData("pending_messages", pending.join("\n"))])
  ].join("\n\n")
}

const teamContextOf = (channel: ProjectChannel | null): string | null =>
  channel === null || channel.members.length === 0 ? null : markedData(
    "team",
    channel.members.map(({ name, responsibilities, role }) =>
      member(line(name) ?? "unknown", line(role), line(responsibilities))
    ).join("\n")
  )
