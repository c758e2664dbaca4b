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
    ["remind me to pay at 5 o’clock", "Once", "reminder", "pay", "at 5 o’clock"],
    ["every evening at 6 drink water", "Recurring", "reminder", "drink water", "every evening at 6"],
    ["everyday at 3:23am drink water", "Recurring", "reminder", "drink water", "everyday at 3:23am"],
    ["every monday at 8 send the report", "Recurring", "reminder", "send the report", "every monday at 8"],
    ["every other day at 7 run", "Recurring", "reminder", "run", "every other day at 7"],
    ["schedule send the report every monday at 8", "Recurring", "task", "send the report", "every monday at 8"],
    ["schedule the report mondays at 8", "Recurring", "task", "the report", "mondays at 8"],
    ["remind me to water mondays", "Recurring", "reminder", "water", "mondays"],
    ["remind me mondays at 9 to water", "Recurring", "reminder", "water", "mondays at 9"],
    ["remind me to stand on weekdays", "Recurring", "reminder", "stand", "on weekdays"],
    ["remind me monday to friday at 9 to stand", "Recurring", "reminder", "stand", "monday to friday at 9"],
    ["remind me weekly to stand", "Recurring", "reminder", "stand", "weekly"],
    ["remind me at 9 every monday to stand", "Recurring", "reminder", "stand", "at 9 every monday"],
    ["remind me to walk 10 minutes every day", "Recurring", "reminder", "walk 10 minutes", "every day"],
    ["remind me to pay at the end of every month", "Recurring", "reminder", "pay", "at the end of every month"],
    ["remind me in the morning to call", "Once", "reminder", "call", "in the morning"],
    ["remind me to pay on the 5th", "Once", "reminder", "pay", "on the 5th"],
    ["remind me to pay in december", "Once", "reminder", "pay", "in december"],
    ["remind me to pay 15 december", "Once", "reminder", "pay", "15 december"],
    ["remind me to pay in a fortnight", "Once", "reminder", "pay", "in a fortnight"],
    ["remind me to pay the last friday of the month", "Once", "reminder", "pay", "the last friday of the month"],
    ["remind me to pay end of the month", "Once", "reminder", "pay", "end of the month"],
    ["remind me to call in an hour and a half", "Once", "reminder", "call", "in an hour and a half"],
    ["remind me in two and a half hours to call", "Once", "reminder", "call", "in two and a half hours"],
    ["remind me the day after tomorrow at 9 to call", "Once", "reminder", "call", "the day after tomorrow at 9"],
    ["remind me to call day after tomorrow", "Once", "reminder", "call", "day after tomorrow"],
    ["remind me to call Ada wednesday evening", "Once", "reminder", "call Ada", "wednesday evening"],
    ["remind me to call next monday at 9", "Once", "reminder", "call", "next monday at 9"],
    ["remind me to call 5pm", "Once", "reminder", "call", "5pm"],
    ["remind me to call by friday?", "Once", "reminder", "call", "by friday?"],
    ["please remind me to call at 5pm", "Once", "reminder", "call", "at 5pm"],
    ["Hey, could you please remind me tomorrow to call", "Once", "reminder", "call", "tomorrow"],
    ["please schedule the report tomorrow at 9, thanks!", "Once", "task", "the report", "tomorrow at 9"],
    ["Remind me, please, to call at 5pm", "Once", "reminder", "call", "at 5pm"],
    ["remind me the first of the month to pay", "Once", "reminder", "pay", "the first of the month"],
    ["remind me to log in at 9", "Once", "reminder", "log in", "at 9"],
    ["remind me to review every ticket at 9", "Once", "reminder", "review every ticket", "at 9"],
    ["remind me to check every market at 9", "Once", "reminder", "check every market", "at 9"],
    ["remind me to send the 5pm report at 16:30", "Once", "reminder", "send the 5pm report", "at 16:30"],
    ["remind me at 8 to join the call at 9", "Once", "reminder", "join the call at 9", "at 8"],
    ["remind me to stand sun-thu at 8", "Recurring", "reminder", "stand", "sun-thu at 8"],
    ["remind me mon-fri at 9 to stand", "Recurring", "reminder", "stand", "mon-fri at 9"],
    ["remind me from monday to friday at 9 to stand", "Recurring", "reminder", "stand", "from monday to friday at 9"],
    ["remind me to stand fri at 8", "Once", "reminder", "stand", "fri at 8"],
    ["remind me thurs at 9 to stand", "Once", "reminder", "stand", "thurs at 9"],
    ["remind me to walk tuesday nights at 8", "Recurring", "reminder", "walk", "tuesday nights at 8"],
    ["remind me to walk evenings", "Recurring", "reminder", "walk", "evenings"],
    ["remind me to pay at the start of every month", "Recurring", "reminder", "pay", "at the start of every month"],
    ["remind me @ 5pm to call", "Once", "reminder", "call", "@ 5pm"],
    ["remind me - call at 5pm", "Once", "reminder", "call", "at 5pm"],
    ["schedule: backup daily at 2", "Recurring", "task", "backup", "daily at 2"],
    ["schedule a backup at 2026-12-24T08:00:00+01:00", "Once", "task", "a backup", "at 2026-12-24T08:00:00+01:00"],
    [
      "remind me to plan the work of next week on friday",
      "Once",
      "reminder",
      "plan the work of next week",
      "on friday"
    ],
    ["schedule the report 0 9 * * 1-5", "Recurring", "task", "the report", "0 9 * * 1-5"],
    ["schedule the report every `0 9 * * mon`", "Recurring", "task", "the report", "0 9 * * mon"],
    ["remind me to stand */15 9-17 * * *", "Recurring", "reminder", "stand", "*/15 9-17 * * *"],
    ["schedule a backup @daily", "Recurring", "task", "a backup", "@daily"],
    ["every 0 9 1 * * pay the rent", "Recurring", "reminder", "pay the rent", "0 9 1 * *"],
    ["every half hour stretch", "Recurring", "reminder", "stretch", "every half hour"],
    ["every 30min stretch", "Recurring", "reminder", "stretch", "every 30min"],
    ["every day 20 push-ups", "Recurring", "reminder", "20 push-ups", "every day"],
    ["every day 5 minutes of yoga", "Recurring", "reminder", "5 minutes of yoga", "every day"],
    ["every day 10pushups", "Recurring", "reminder", "10pushups", "every day"],
    ["every day end the session", "Recurring", "reminder", "end the session", "every day"],
    ["every morning - coffee", "Recurring", "reminder", "coffee", "every morning"],
    ["every monday at 9, please remind me to run", "Recurring", "reminder", "run", "every monday at 9"],
    ["remind me at noon to join the call at 5", "Once", "reminder", "join the call at 5", "at noon"],
    ["remind me to walk for an hour tomorrow", "Once", "reminder", "walk for an hour", "tomorrow"],
    ["hey troupe, remind me to call at 5pm", "Once", "reminder", "call", "at 5pm"],
    ["I'd like you to remind me to call at 5pm", "Once", "reminder", "call", "at 5pm"]
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
    ["remind me tomorrow at 9", "tomorrow at 9"],
    ["schedule every day at 9", "every day at 9"],
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
    ["schedule a walk every 45 minutes at home", "every 45 minutes"],
    ["every 3 days at 9 water the plants", "every 3 days"],
    ["remind me every 3 days at 9 to water", "every 3 days"],
    ["remind me to water every 3 days at 9", "every 3 days"],
    ["schedule a report every 3 days at 9", "every 3 days"],
    ["please remind me to water every 3 days at 9", "every 3 days"]
  ])("%j has no time that can be read", (text, when) => {
    const found = read(text)
    assert(found?._tag === "Unreadable")
    assert.strictEqual(found.when, when)
  })

  it.each([
    ["every monday at 8 or 9 send it", "every monday at 8", "or 9 send it"],
    ["every day at 25 send it", "every day", "at 25"],
    ["every day until friday send it", "every day", "until friday send it"],
    ["every day except sunday send it", "every day", "except sunday send it"],
    ["every 2 weeks starting monday send it", "every 2 weeks", "starting monday send it"],
    ["every monday send the report at 8", "every monday", "at 8"],
    ["remind me tomorrow to call Bob at 5pm", "tomorrow", "at 5pm"],
    ["remind me to call at 5pm by friday", "by friday", "at 5pm"],
    ["remind me to prepare for monday at 9", "monday at 9", "for"],
    ["remind me to water for 3 weeks every monday", "every monday", "for 3 weeks"],
    ["remind me to call today at 5pm or tomorrow at 9", "tomorrow at 9", "or"],
    ["remind me today at 5 to join the call at 9", "at 9", "today at 5"],
    ["remind me to run monday evening at 7:30am", "at 7:30am", "monday evening"],
    ["remind me to run this evening at 7:30am", "at 7:30am", "this evening"],
    ["remind me to run in 2 weeks on monday", "on monday", "in 2 weeks"],
    ["remind me to run next week on friday", "on friday", "next week"],
    ["remind me to run at the end of every week", "every week", "end of"],
    ["remind me to run on the 1st and 15th", "15th", "and"],
    ["remind me to run mon, wed and fri at 8", "fri at 8", "and"],
    ["remind me to run at 9am mondays and 5pm fridays", "5pm fridays", "and"],
    ["every weekday at 9, Europe/London time, post it", "every weekday at 9", "Europe/London"],
    ["every weekday at 9 (UTC) post it", "every weekday at 9", "(UTC"],
    ["every monday at 8 +01:00 check", "every monday at 8", "+01:00"],
    ["every monday at 8 my time check", "every monday at 8", "my time"],
    ["every third day water", "every third", "day water"],
    ["every third night water", "every third", "night water"],
    ["every 10th day water", "every 10th", "day water"],
    ["every first week clean", "every first", "week clean"],
    ["every monday week clean", "every monday", "week clean"],
    ["every month end pay", "every month", "end pay"],
    ["every monday pm pay", "every monday", "pm pay"],
    ["every march 2027 pay", "every march", "2027"],
    ["every day 8 pay", "every day", "8"],
    ["every day about 8 pay", "every day", "about 8"],
    ["every day by 8 pay", "every day", "by 8"],
    ["every monday 8-9 check", "every monday", "8-9"],
    ["every monday at 8 9 check", "every monday at 8", "9"],
    ["every monday at 8 to 9 check", "every monday at 8", "to 9"],
    ["every monday at 8 til 9 check", "every monday at 8", "til 9 check"],
    ["every monday at 8am/5pm check", "every monday", "at 8am/5pm"],
    ["every monday twice check", "every monday", "twice check"],
    ["every monday 3 times check", "every monday", "3"],
    ["every day (except sundays) check", "every day", "(except sundays) check"],
    ["every day - not sundays - check", "every day", "not sundays - check"],
    ["every day from monday check", "every day", "from monday check"],
    ["every day this week check", "every day", "this week"],
    ["every day in the summer swim", "every day", "in the summer"],
    ["every hour during the day check", "every hour", "during the day check"],
    ["every 2 hours at night check", "every 2 hours", "at night"],
    ["every 15 minutes for an hour check", "every 15 minutes", "for an hour"],
    ["every monday remind me at 9 to run", "every monday", "at 9"],
    ["every evening to feed the cat at 7", "every evening", "at 7"],
    ["remind me every night to lock the door at 11pm", "every night", "at 11pm"],
    ["remind me tonight to join the call at 9", "tonight", "at 9"],
    ["remind me on friday evening to join the call at 9", "on friday evening", "at 9"],
    ["remind me at 8 to 9 to call", "at 8", "to 9"]
  ])("%j has a time that is not read whole", (text, when, unread) => {
    assert.deepStrictEqual<unknown>(read(text), { _tag: "Unreadable", kind: "reminder", when, unread })
  })

  it.each([
    ["mondays are hard: write a poem"],
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
    assert.strictEqual(read(`every day ${"water ".repeat(20_000)}`)?._tag, "Recurring")
  })
})
