import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ChatPlatform } from "../../src/Chat/ChatPlatform.ts"
import * as SlackWebApi from "../../src/Chat/Slack/SlackWebApi.ts"
import { type FakePlatform, makeChatPlatform } from "../support/ChatPlatform.ts"

export const id = "0192aaaa-bbbb-7ccc-8ddd-eeeeffff0000"

export const hello = { id, to: "CGENERAL", post: { text: "Hello" } }

export const use = <A, E>(
  { token, url }: Pick<FakePlatform, "token" | "url">,
  work: (chat: ChatPlatform["Type"]) => Effect.Effect<A, E>,
  timeout = 2_000
) => Effect.flatMap(ChatPlatform, work).pipe(Effect.provide(SlackWebApi.layer({ apiUrl: url, token, timeout })))

export const since = ({ history }: ChatPlatform["Type"], thread: string) => {
  assert(history !== null)
  return history.since(thread, 0)
}

export const made = Effect.tap(makeChatPlatform, ({ state }) => {
  state.user("ADA", { name: "ada", real_name: "Ada Lovelace", profile: { title: "Engineer" } })
  state.channel("GENERAL", { topic: "Everything", members: ["UTROUPE", "UADA"] })
})
