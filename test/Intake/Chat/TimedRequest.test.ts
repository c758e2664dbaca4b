import { assert, describe, it } from "@effect/vitest"
import { DateTime, FastCheck as fc, Option } from "effect"
import { type TimedRequest, timedRequestOf } from "../../../src/Intake/Chat/TimedRequest.ts"

const clock = { now: DateTime.unsafeMake("2026-11-23T08:00:00Z"), zone: DateTime.zoneUnsafeMakeNamed("UTC") }

const read = (text: string) => Option.getOrNull(timedRequestOf(text, clock))

describe("requests with a time", () => {
  it.each([
    ["schedule the weekly report at 9am", "Once", "task", "the weekly report", "at 9am"],
    ["Schedule the report tomorrow at 9", "Once", "task", "the report", "tomorrow at 9"],
    ["schedule a backup every day at 3", "Recurring", "task", "a backup", "every day at 3"],
    ["remind me to look at the plan at 17:00", "Once", "reminder", "look at the plan", "at 17:00"],
    ["remind me to stretch in 10 minutes", "Once", "reminder", "stretch", "in 10 minutes"],
    ["remind me in 2 hours to call Bob at home", "Once", "reminder", "call Bob at home", "in 2 hours"],
    ["remind me tomorrow at 9 to pay", "Once", "reminder", "pay", "tomorrow at 9"],
    ["remind me to drink every 2 hours", "Recurring", "reminder", "drink", "every 2 hours"],
    ["every weekday at 9 stand-up!", "Recurring", "reminder", "stand-up!", "every weekday at 9"],
    ["every day drink water", "Recurring", "reminder", "drink water", "every day"],
    ["`remind me to pay at 5pm`", "Once", "reminder", "pay", "at 5pm"],
    ["“remind me to pay at 5pm”", "Once", "reminder", "pay", "at 5pm"],
    ["remind me to say “hi” at 5pm", "Once", "reminder", "say “hi”", "at 5pm"],
    ["schedule “the report” tomorrow at 9", "Once", "task", "“the report”", "tomorrow at 9"],
    ["remind me to pay at 5 o’clock", "Once", "reminder", "pay", "at 5 o’clock"]
  ])("%j", (text, _tag, kind, what, when) => {
    assert.deepStrictEqual<unknown>(read(text), { _tag, kind, what, [_tag === "Once" ? "at" : "every"]: when })
  })

  it.each<readonly [string, string, TimedRequest["_tag"]]>([
    ["remind Ada to call me at 5pm", "Ada", "Once"],
    ["Remind @Ada Lovelace tomorrow at 9 to call me", "Ada Lovelace", "Once"],
    ["remind ada: call me in 2 hours", "ada", "Once"],
    ["remind Bob Smith that tea is ready every day", "Bob Smith", "Recurring"],
    ["remind Bob", "Bob", "Unreadable"],
    ["remind Bob to call me", "Bob", "Unreadable"],
    ["remind all of the people in this room to leave", "all of the people", "Unreadable"]
  ])("%j is for %j", (text, who, tag) => {
    const found = read(text)
    assert.deepStrictEqual([found?._tag, found?.who], [tag, who])
    if (found?._tag === "Once") assert.strictEqual(found.what, "call me")
  })

  it.each([
    ["schedule the report at some point", "at some point"],
    ["remind me to call Bob at blurgh", "at blurgh"],
    ["remind me to call Bob", ""],
    ["remind me", ""],
    ["schedule a meeting with Bob", ""],
    ["schedule the report next blue moon", ""],
    ["every employee needs a badge", "every employee needs a badge"],
    ["every full moon send the report", "every full moon send the"],
    ["every 5 parsecs refuel the ship", "every 5 parsecs refuel the"],
    ["every 45 minutes to stand", "every 45 minutes"],
    ["Every 45 minutes stand up at the desk", "Every 45 minutes"],
    ["every 3 days, monday to friday, to stand", "every 3 days, monday to friday,"],
    ["remind me every monday to friday at blurgh to stand", "every monday to friday at blurgh"],
    ["remind me every 45 minutes to stand", "every 45 minutes"],
    ["remind me every 45 minutes to stand at the desk", "every 45 minutes"],
    ["remind me every 45 minutes at home to stand", "every 45 minutes"],
    ["remind me to stand every 45 minutes at home", "every 45 minutes"],
    ["remind me to stand every 45 minutes to stay awake", "every 45 minutes"],
    ["remind me in 5 parsecs to call Bob at home", "in 5 parsecs"],
    ["remind me in a bit to look every 2 hours at home", "in a bit"],
    ["schedule a walk every 45 minutes to stay awake", "every 45 minutes"],
    ["schedule a walk every 45 minutes at home", "every 45 minutes"]
  ])("%j has no time that can be read", (text, when) => {
    const found = read(text)
    assert(found?._tag === "Unreadable")
    assert.strictEqual(found.when, when)
  })

  it.each([
    ["write a report about every customer at 9 branches"],
    ["remind"],
    ["scheduled work at 9"],
    [""]
  ])("%j is a request without one", (text) => assert.isNull(read(text)))

  it.prop("are found in any text, which keeps its words", [
    fc.array(
      fc.constantFrom("remind", "me", "every", "day", "at", "9", "to", "schedule", "in", "2", "hours", "x", "\n")
    ).map((all) => all.join(" "))
  ], ([text]) => {
    const found = read(text)
    if (found !== null && found._tag !== "Unreadable") assert.include(text, found.what)
  })

  it("are found in long texts at once", () => {
    assert.strictEqual(read(`remind me to ${"at every in ".repeat(10_000)} at 5pm`)?._tag, "Once")
    assert.strictEqual(read(`every ${"day ".repeat(20_000)}`)?._tag, "Recurring")
  })
})
