import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { chatToken, makeChatPlatform, signingSecret } from "../support/ChatPlatform.ts"
import { botUserId } from "../support/ChatPlatformState.ts"
import type { Test } from "./Console.ts"
import { looksRight } from "./Looks.ts"

/** The settings of a team chat with two people and a channel. */
export const teamChat = Effect.map(makeChatPlatform, (platform) => {
  platform.state.user("ADA", { name: "ada", real_name: "Ada Lovelace", profile: { title: "Analyst" } })
  platform.state.user("BOB", { name: "bob", real_name: "Bob Boole", profile: { email: "bob@example.org" } })
  const members = [botUserId, "UADA", "UBOB"]
  platform.state.channel("SHOP", { name: "shop", topic: "All about the <b>shop</b>", members })
  return { CHAT_API_URL: platform.url.href, CHAT_BOT_TOKEN: chatToken, CHAT_SIGNING_SECRET: signingSecret }
})

/** Tests about people and channels, for a service that has worked for nobody yet. */
export const peopleScreens = (test: Test): void => {
  test(
    "a channel is synced, and what a member does in it is set",
    function*({ faults, follow, open, page, press, sees, type }) {
      yield* open("channels")
      yield* press("Sync all")
      yield* follow("shop")
      yield* press("Change what Ada Lovelace does here")
      yield* type("Role", "Engineer on call")
      yield* type("Responsibilities", "Incidents of the shop")
      yield* looksRight(page, "channel")
      yield* press("Save")
      yield* sees("Incidents of the shop")
      yield* press("Close")
      yield* looksRight(page, "channels")
      assert.deepStrictEqual(faults, [])
    }
  )

  test("fields that are edited in the console are marked, survive an error and a reload, and are cleared", function*(
    { client, faults, follow, open, page, press, sees, type }
  ) {
    yield* client.submit("uses", { message: "use list_directory {}" })
    yield* open("people")
    yield* follow("Ada Lovelace")
    yield* type("E-mail address", "bob@example.org")
    yield* press("Save the profile")
    yield* sees("bob@example.org is the address of Bob Boole")
    yield* press("Same person: join both users")
    yield* sees("each has an account of the team chat")
    yield* press("Discard")
    yield* type("Title", "Countess")
    yield* type("Time zone", "Moon/Base")
    yield* press("Save the profile")
    yield* sees("the name of an IANA time zone")
    yield* Effect.promise(() => page.reload())
    const title = page.getByLabel("Title", { exact: true })
    yield* Effect.promise(() => title.waitFor())
    assert.strictEqual(yield* Effect.promise(() => title.inputValue()), "Countess")
    yield* type("Time zone", "Europe/London")
    yield* Effect.promise(() => page.getByLabel("Mail", { exact: true }).check())
    yield* press("Save the profile")
    yield* sees("3 fields edited here")
    yield* looksRight(page, "person")
    yield* press("Let the sync set them again")
    yield* Effect.promise(() => page.getByText("3 fields edited here").waitFor({ state: "detached" }))
    yield* press("Close")
    yield* looksRight(page, "people")
    yield* open("people")
    yield* client.submit("of somebody new", { message: "use list_directory {}", user_id: "grace" })
    yield* sees("grace")
    yield* open("people?user=default")
    yield* Effect.promise(() => page.getByRole("row", { name: /^Total 1 / }).waitFor())
    yield* open("people")
    yield* follow("Bob Boole")
    yield* press("Delete all data")
    yield* sees("tasks with their conversations and results")
    yield* looksRight(page, "person-delete")
    yield* press("Delete the data")
    yield* Effect.promise(() => page.getByRole("link", { name: "Bob Boole" }).waitFor({ state: "detached" }))
    // The browser reports the time zone that the service refused, and what it may have read of the person meanwhile.
    assert.deepStrictEqual(faults.filter((fault) => !/40[049]/.test(fault)), [])
  })
}
