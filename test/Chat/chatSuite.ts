import { layer } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import type { ChatDouble } from "../support/ChatDoubles.ts"
import { conversations } from "./chatConversations.ts"
import { decisions } from "./chatDecisions.ts"
import { type ChatTest, empty, posts, processed, sent, Service, start } from "./chatService.ts"
import { work } from "./chatWork.ts"

/** What holds for the team chat, whichever platform it is on. */
export const chatSuite = (name: string, makeDouble: Effect.Effect<ChatDouble, never, Scope.Scope>): void =>
  layer(Layer.scoped(Service, start(makeDouble)), { excludeTestServices: true, timeout: "60 seconds" })(name, (it) => {
    const test: ChatTest = (title, body) =>
      it.scoped(title, () =>
        Effect.gen(function*() {
          yield* empty
          const before = (yield* posts).length
          yield* Effect.gen(() => body(before))
          yield* processed
          yield* sent
        }))
    conversations(test)
    decisions(test)
    work(test)
  })
