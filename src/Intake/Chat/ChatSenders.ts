import { SqlClient } from "@effect/sql/SqlClient"
import { type Caller, selfHostedCaller } from "@troupe/domain/Caller"
import { UserId } from "@troupe/domain/Ids"
import { Role } from "@troupe/domain/User"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { ChatPlatform } from "../../Chat/ChatPlatform.ts"
import { type ChatText, type Mentioned, mentionedIn, type NameOf, plainText } from "../../Chat/ChatText.ts"
import { ChatUsers } from "../../People/User/ChatUsers.ts"
import { isKnown } from "../../People/User/NamedPeople.ts"
import { mayDecide } from "../../Policy/ApprovalRights.ts"
import { asService } from "../../Runtime/Database/Isolation.ts"
import { rowsOf } from "../../Runtime/Database/Query.ts"
import { storable } from "../../Runtime/Database/StorableText.ts"
import type { AskedRow, ThreadTask } from "../../Task/Read/TaskThreads.ts"

const Person = Schema.Struct({
  chat_user_id: Schema.String,
  id: UserId,
  name: Schema.NullOr(Schema.String),
  role: Role,
  is_member: Schema.Boolean,
  is_guest: Schema.Boolean
})

const peopleOf = rowsOf(Person)
const peopleNamed = rowsOf(Schema.Struct({
  ...Person.fields,
  chat_user_id: Schema.NullOr(Schema.String),
  is_whole: Schema.NullOr(Schema.Boolean),
  is_known: Schema.Boolean
}))

const channelsNamed = rowsOf(Schema.Struct({ channel_id: Schema.String, name: Schema.String }))

/** A person of the chat platform, with the rights of the user here. */
export interface ChatSender {
  readonly chatUserId: string
  readonly userId: UserId
  /** False only in hosted mode, for a person who is not in the team. */
  readonly isMember: boolean
  readonly isGuest: boolean
  /**
   * Self-hosted, everybody but guests of the workspace may change every task. A guest may change those that somebody
   * assigned to them and own ones, but none of the time before the account became a guest's, which has all tools.
   */
  readonly mayChange: (task: Pick<ThreadTask, "approver" | "assignee" | "creator" | "tool_access">) => boolean
  /** In both modes: whether the person may approve what the agent asks approval for. */
  readonly mayApprove: (task: Pick<ThreadTask, "approver" | "creator" | "tool_access">) => boolean
  /** In both modes: whether the person may decide about the call. */
  readonly mayDecide: (
    row: Pick<AskedRow, "who">,
    task: Pick<ThreadTask, "approver" | "creator" | "tool_access">
  ) => boolean
  /** Whose rights requests of this person have. */
  readonly caller: Caller
}

/** Whether the person may answer the question of a task, by a message or a button. `rows`: the calls that it asks about. */
export const mayAnswer = (sender: ChatSender, task: ThreadTask, rows: ReadonlyArray<AskedRow>): boolean =>
  !task.asks_approval
    ? sender.mayChange(task)
    : rows.length === 0
    ? sender.mayApprove(task)
    : rows.some((row) => sender.mayDecide(row, task))

const makeSenders = ({ isHosted }: { readonly isHosted: boolean }) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const platform = yield* ChatPlatform
    const users = yield* ChatUsers
    const isActive = sql`a.platform = ${platform.id} and a.deactivated_at is null`
    const columns =
      sql`(select account from chat_accounts a where a.user_id = u.id and ${isActive}) as chat_user_id, id, coalesce(display_name, name) as name, role,
  exists (select from team_members m where m.user_id = u.id) as is_member,
  (is_guest and not 'email' = any(overrides)) as is_guest`

    const all = (ids: ReadonlyArray<string>) =>
      asService(peopleOf(
        sql`select ${columns} from users u where id in (
  select user_id from chat_accounts a where ${isActive} and account = any(${ids.map(storable)}::text[]))`
      ))

    const senderOf = ({ chat_user_id, id, is_guest, is_member, role }: typeof Person.Type): ChatSender => {
      const isGuest = is_guest && !is_member
      const isOf = (task: Pick<ThreadTask, "creator" | "tool_access">, other: UserId | null) =>
        (task.creator === id && !(isGuest && task.tool_access === "all")) || other === id || role !== "member"
      return {
        chatUserId: chat_user_id,
        userId: id,
        isMember: !isHosted || is_member,
        isGuest,
        mayChange: (task) => (!isHosted && !isGuest) || isOf(task, isGuest ? task.approver : task.assignee),
        mayApprove: (task) => isOf(task, isGuest ? null : task.approver),
        // A guest decides only where a rule names them, or about a task that was a guest's from the beginning.
        mayDecide: ({ who }, task) =>
          mayDecide({ who }, isGuest && task.tool_access === "all" ? { ...task, tool_access: "own" } : task, {
            by: id,
            role,
            isProgram: false
          }),
        caller: isHosted ? { id, role } : selfHostedCaller
      }
    }
    const known = (id: string) => Effect.map(all([id]), ([person]) => Option.map(Option.fromNullable(person), senderOf))

    const find = Effect.fn("ChatSenders.find")(function*(id: string) {
      const sender = yield* known(id)
      if (Option.isSome(sender)) return sender
      const written = yield* users.write(yield* platform.findUser(id))
      return Option.isNone(written) ? Option.none() : yield* known(id)
    })

    /**
     * Whom a text with these mentions calls by this name: the one whom it mentions, else people of the team with the
     * name, in any case, else those with this first name.
     */
    const named = (name: string, mentioned: ReadonlyArray<string> = []) =>
      asService(Effect.map(
        peopleNamed(
          sql`select ${columns},
  lower(${storable(name)}::text) in (lower(name), lower(display_name)) as is_whole,
  ${isKnown(sql)} as is_known
from users u where not is_system and lower(${storable(name)}::text) in (
  lower(name), lower(display_name), lower(split_part(name, ' ', 1)), lower(split_part(display_name, ' ', 1)))
order by 3, id limit 100`
        ),
        (found) => {
          const meant = found.filter(({ chat_user_id: id, name: shown }) =>
            id !== null && mentioned.includes(id) && shown?.toLowerCase() === name.toLowerCase()
          )
          const people = meant.length === 1 ? meant : found
          const members = people.filter(({ is_known, is_member }) =>
            is_member || (!isHosted && (is_known || meant.length === 1))
          )
          const whole = members.filter(({ is_whole }) => is_whole)
          return { members: whole.length > 0 ? whole : members, isKnown: found.length > 0 }
        }
      ))

    const channelsWith = (ids: ReadonlyArray<string>) =>
      asService(channelsNamed(
        sql`select channel_id, name from channels
where not is_private and channel_id = any(${ids.map(storable)}::text[])`
      ))

    const nameOf = ({ channels, users }: Mentioned): Effect.Effect<NameOf> =>
      Effect.zipWith(
        users.length === 0 ? Effect.succeed([]) : all([...new Set(users)]),
        channels.length === 0 ? Effect.succeed([]) : channelsWith([...new Set(channels)]),
        (people, places) => {
          const names = new Map([
            ...people.map(({ chat_user_id, name }) => [chat_user_id, name] as const),
            ...places.map(({ channel_id, name }) => [channel_id, name] as const)
          ])
          return (id) => names.get(id) ?? null
        }
      )

    return {
      /** Somebody new becomes a user, by the platform's profile. None: a bot. */
      find,
      /** Only a person who may use the service: in hosted mode a member of the team, else anybody but a bot. */
      allowed: (id: string) => isHosted ? Effect.map(known(id), Option.filter(({ isMember }) => isMember)) : find(id),
      /** Whether all of these are people who are no guests. */
      areOfTeam: (ids: ReadonlyArray<string>) =>
        ids.length === 0 ?
          Effect.succeed(true) :
          Effect.map(
            all(ids),
            (people) => new Set(ids).size === people.filter(({ is_guest, is_member }) => is_member || !is_guest).length
          ),
      /** The names of people and of public channels. */
      nameOf,
      named,
      /** A message as plain text, with the names of whom and what it mentions. */
      plainText: (text: ChatText) => Effect.map(nameOf(mentionedIn(text)), (names) => plainText(text, names))
    }
  })

/** Who writes to us on the chat platform. */
export class ChatSenders extends Context.Tag("troupe/Intake/Chat/ChatSenders")<
  ChatSenders,
  Effect.Effect.Success<ReturnType<typeof makeSenders>>
>() {
  static readonly layer = (
    options: { readonly isHosted: boolean }
  ): Layer.Layer<ChatSenders, never, ChatPlatform | ChatUsers | SqlClient> => Layer.effect(this, makeSenders(options))
}
