import { CurrentUser } from "@troupe/api/Authentication"
import { Duration, Effect, Fiber, Option } from "effect"
import type { CommandEvent, Envelope } from "../../Chat/ChatEvent.ts"
import { saying } from "../../Chat/ChatMessage.ts"
import { ChatPlatform, wholePost } from "../../Chat/ChatPlatform.ts"
import { plainText } from "../../Chat/ChatText.ts"
import { Tasks } from "../../Task/UseCase/Tasks.ts"
import type { InboundId } from "../InboundMessage.ts"
import { ChatSenders } from "./ChatSenders.ts"
import { nonMemberRefused, type Said } from "./ChatTexts.ts"
import { commandOf, isReading, readCommand, type Reading } from "./Commands.ts"

/** The platform shows an error to the person after 3 s. */
const answerTime = Duration.millis(2_300)

/** Answers a command of the platform's own. Changes are stored, and answered by the handler; slow answers follow later. */
export const makeChatCommands = (store: (envelope: Envelope) => Effect.Effect<InboundId>) =>
  Effect.gen(function*() {
    const tasks = yield* Tasks
    const platform = yield* ChatPlatform
    const senders = yield* ChatSenders
    const scope = yield* Effect.scope

    const perform = (command: Reading, user: string): Effect.Effect<Said> =>
      Effect.gen(function*() {
        const sender = yield* senders.find(user)
        if (Option.isNone(sender) || !sender.value.isMember) return [nonMemberRefused]
        return yield* Effect.provideService(
          readCommand(tasks, command, sender.value),
          CurrentUser,
          sender.value.caller
        )
      }).pipe(
        Effect.catchAll(({ message }) => Effect.succeed([message])),
        Effect.catchAllCause((cause) =>
          Effect.as(
            Effect.logError("A slash command failed with a defect", cause),
            ["The command failed because of an error in the service. Try again in a minute."]
          )
        )
      )

    const later = ({ answerTo }: CommandEvent, said: Said) =>
      answerTo === null ? Effect.void : Effect.catchAll(
        platform.answer(answerTo, wholePost(platform.render(saying(...said)))),
        ({ reason }) => Effect.logWarning(`Replying to a slash command failed: ${reason}`)
      )

    return Effect.fn("ChatCommands.run")(function*(envelope: Envelope, event: CommandEvent): Effect.fn.Return<Said> {
      // Which command it is does not depend on the names in it.
      const command = commandOf(plainText(event.text, () => null))
      if (!isReading(command)) {
        const stored = yield* store(envelope).pipe(Effect.disconnect, Effect.timeoutOption(answerTime))
        return Option.isNone(stored)
          ? ["Your request may not have been stored. Check `tasks` before you repeat it."]
          : [following]
      }
      const performing = yield* Effect.forkIn(perform(command, event.user), scope)
      const answer = yield* Effect.timeoutOption(Fiber.join(performing), answerTime)
      if (Option.isSome(answer)) return answer.value
      yield* Effect.forkIn(Effect.flatMap(Fiber.join(performing), (said) => later(event, said)), scope)
      return [following]
    })
  })

const following = "I am working on it; the answer follows here."
