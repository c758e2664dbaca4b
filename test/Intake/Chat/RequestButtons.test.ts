import { assert } from "@effect/vitest"
import { Queue } from "effect"
import { userWith } from "../../support/ChatAccounts.ts"
import { givenTask, mention, press, told } from "./requests.ts"
import { asks, inChat, posts, said, Service, statusOf, tasks } from "./service.ts"

inChat("Requests of the chat platform", (test) => {
  test("stop reminders by the button, once", function*() {
    const { platform, query } = yield* Service
    yield* said({ ...mention, text: "<@UTROUPE> remind me to drink every day at 9" })
    const [made] = yield* query<{ id: string }>("select id::text from schedules")
    const stop = { action_id: "stop_reminders", value: made?.id }
    assert.include(yield* press(stop), "I no longer remind you")
    assert.deepStrictEqual(yield* query("select status from schedules"), [{ status: "done" }])
    assert.deepInclude(yield* Queue.take(platform.responses), { replace_original: true })
    assert.include(yield* press(stop), "I no longer remind you")
    assert.include(yield* press({ ...stop, value: "other" }), "no such reminder")
    assert.include(yield* press({ action_id: "other" }), "no longer valid")
  })

  test("make a task of a recurring reminder by the button, for its user alone, and show what now runs", function*() {
    const { platform, query } = yield* Service
    yield* said({ ...mention, text: "<@UTROUPE> every monday at 8 send the report" })
    const [confirmed] = yield* posts
    const [made] = yield* query<{ id: string }>("select id::text from schedules")
    const change = { action_id: "make_task", value: made?.id }
    assert.include(confirmed?.payload, JSON.stringify("stop_reminders"))
    assert.include(confirmed?.payload, `"text":"Make it a task"`)
    assert.include(confirmed?.payload, `"action_id":"make_task"`)
    const kinds = query<{ kind: string; status: string; cron: string }>("select kind, status, cron from schedules")
    assert.include(yield* press(change, "UBOB"), "Only its user, an owner or an admin")
    assert.deepInclude(yield* Queue.take(platform.responses), { replace_original: false })
    assert.deepStrictEqual(yield* kinds, [{ kind: "reminder", status: "active", cron: "0 8 * * 1" }])
    for (const _ of [1, 2]) {
      assert.include(yield* press(change), "I will start regularly: *send the report*")
      const answer = yield* Queue.take(platform.responses)
      assert.deepInclude(answer, { replace_original: true })
      assert.include(JSON.stringify(answer), `"action_id":"stop_reminders"`)
      assert.deepStrictEqual(yield* kinds, [{ kind: "task", status: "active", cron: "0 8 * * 1" }])
    }
    assert.include(yield* press({ action_id: "stop_reminders", value: made?.id }), "I no longer start this")
    assert.include(yield* press(change), "has ended")
    assert.deepStrictEqual(yield* kinds, [{ kind: "task", status: "done", cron: "0 8 * * 1" }])
    assert.include(yield* press({ ...change, value: "other" }), "no such reminder")
  })

  test("are pressed buttons, also of somebody new, but not of a bot, a guest or a person whom the platform does not know", function*() {
    const { platform, query } = yield* Service
    yield* query(`delete from users where id = ${userWith("UNEW")}`)
    platform.state.user("NEW", { name: "new", real_name: "Somebody New" })
    platform.state.user("ROBOT", { is_bot: true })
    platform.state.user("GUEST", { is_restricted: true })
    const id = yield* givenTask
    yield* asks(id)
    const choice = {
      action_id: "answer_choice:0",
      value: JSON.stringify({ task_id: id, call: "call_1", answer: "Blue" })
    }
    assert.include(yield* press(choice, "UROBOT"), "only for members")
    assert.include(yield* press(choice, "UNOBODY"), "could not load your profile")
    assert.include(yield* press(choice, "UGUEST"), "waits for the person who gave the task")
    assert.strictEqual(yield* statusOf(id), "waiting_input")
    assert.include(yield* press(choice, "UNEW"), "answered: *Blue*")
  })

  test("change no task that has all tools for whoever has become a guest, not even an own one", function*() {
    const { query } = yield* Service
    const id = yield* givenTask
    yield* asks(id)
    yield* query(`update users set is_guest = true where id = ${userWith("UADA")}`)
    const choice = {
      action_id: "answer_choice:0",
      value: JSON.stringify({ task_id: id, call: "call_1", answer: "Blue" })
    }
    assert.include(yield* press(choice), "waits for the person who gave the task")
    assert.include((yield* told(`answer ${id} Blue`)).text, "Only its creator")
    const [made] = yield* tasks
    yield* said({ ...mention, text: "Blue", thread_ts: `${JSON.parse(made?.reply_to ?? "").thread_ts}` })
    assert.strictEqual(yield* statusOf(id), "waiting_input")
    yield* query("update tasks set assignee = creator, assigned_by_answer = true where id = $1", [id])
    assert.include(yield* press(choice), "waits for the person who gave the task")
    yield* query("update tasks set assigned_by_answer = false where id = $1", [id])
    yield* query("update actors set asks_approval = true where task_id = $1", [id])
    assert.include(yield* press(choice), "waits for the person who gave the task", "a guest approves nothing")
    yield* query("update actors set asks_approval = false where task_id = $1", [id])
    assert.include(yield* press(choice), "answered: *Blue*")
  })
})
