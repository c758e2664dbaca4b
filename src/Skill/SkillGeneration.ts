import {
  noRequirements,
  SkillModelUnavailable,
  SkillName,
  type SkillNameTaken,
  SkillNotGenerated,
  type SkillsUnwritable,
  type SkillText
} from "@troupe/domain/Skill"
import { Clock, Effect, Either, Schema } from "effect"
import { join } from "node:path"
import { Model, type ModelRequest } from "../Model/Model.ts"
import { type Skill, skillFileName } from "./Skill.ts"
import { blank, parse, print } from "./SkillFile.ts"
import { reservedName, Skills } from "./Skills.ts"

export interface Generated {
  readonly skill: Skill
  readonly saved: boolean
}

/** A valid skill under a new name, saved if wanted. An answer that can't be read is sent back to the model once. */
export const makeSkillGeneration = Effect.gen(function*() {
  const skills = yield* Skills
  const model = yield* Model

  const ask = (request: ModelRequest) =>
    model.generate(request).pipe(
      Effect.timeoutFail({
        duration: timeout,
        onTimeout: () => new SkillModelUnavailable({ reason: `The language model timed out after ${timeout}.` })
      }),
      Effect.mapError(({ message }) => new SkillModelUnavailable({ reason: message })),
      Effect.map(({ message }) => message.content)
    )

  const written = Effect.fnUntraced(function*(description: string) {
    const request = requestFor(description)
    const first = yield* ask(request)
    const skill = read(first)
    if (Either.isRight(skill)) return skill.right
    const second = yield* ask({
      ...request,
      messages: [
        ...request.messages,
        { role: "assistant", content: first, tool_calls: [] },
        { role: "user", content: `The file is invalid: ${skill.left}. Reply with the whole corrected file only.` }
      ]
    })
    return yield* Either.mapLeft(read(second), (reason) => new SkillNotGenerated({ reason }))
  })

  return Effect.fn("SkillGeneration.generate")(
    function*(
      description: string,
      save: boolean
    ): Effect.fn.Return<Generated, SkillModelUnavailable | SkillNotGenerated | SkillNameTaken | SkillsUnwritable> {
      const text = yield* written(description)
      const taken = new Set([reservedName, ...(yield* skills.list).map(({ name }): string => name)])
      const named: SkillText = { ...text, name: freeName(text.name, taken), requirements: noRequirements }
      if (!save) return { skill: proposal(named, skills.custom, yield* Clock.currentTimeMillis), saved: false }
      const skill = yield* Effect.catchTag(
        skills.create(named),
        "SkillInvalid",
        ({ reason }) => new SkillNotGenerated({ reason })
      )
      return { skill, saved: true }
    }
  )
})

const timeout = "2 minutes"

const proposal = (text: SkillText, root: string, now: number): Skill => ({
  ...text,
  source: "custom",
  folder: join(root, text.name),
  file: skillFileName,
  aliases: [],
  warnings: [],
  scripts: [],
  tools: [],
  files: [],
  createdAt: now,
  updatedAt: now
})

const system =
  `You write skills for an agent: SKILL.md files that are added to its system prompt when they fit a request.
Answer with the file alone, no code block around it and nothing before or after it. It looks like this:

---
name: weekly-report
description: What the skill does and when to use it, in one to three sentences.
tags: [weekly report, numbers of the week]
---

# A title

What to do, step by step, in Markdown: what to look at first, what the result must contain, what to avoid and when to
ask the user.

The name is kebab-case, 64 characters at most. Tags are two to five phrases that only such a request contains.`

const requestFor = (description: string): ModelRequest => ({
  system,
  messages: [{ role: "user", content: `Write the skill that this describes:\n\n${description}` }],
  tools: { tools: [] },
  offline: () => print(offlineSkill(description))
})

/** Models often put a file into a code block, or a sentence before it. */
const read = (answer: string): Either.Either<SkillText, string> => {
  const opening = /^```[\w-]*[ \t]*\r?\n(?=---)/m.exec(answer)
  const inside = opening === null ? "" : answer.slice(opening.index + opening[0].length)
  const end = inside.search(/\r?\n```[ \t]*$/m)
  if (end !== -1) return flawless(inside.slice(0, end))
  const begin = answer.search(/^---[ \t]*$/m)
  return flawless(begin === -1 ? answer : answer.slice(begin))
}

/** A file from elsewhere may have flaws; the model can be asked for one without. */
const flawless = (source: string): Either.Either<SkillText, string> =>
  Either.flatMap(
    parse(source),
    ({ text, warnings }) => warnings.length === 0 ? Either.right(text) : Either.left(warnings.join("; "))
  )

const nameOf = Schema.decodeSync(SkillName)

/** The name, with the first number behind it that makes it free if another skill has it. */
const freeName = (name: SkillName, taken: ReadonlySet<string>): SkillName => {
  let free: string = name
  for (let number = 2; taken.has(free); number++) {
    const end = `-${number}`
    free = name.slice(0, 64 - end.length).replace(/(?<!-)-+$/, "") + end
  }
  return nameOf(free)
}

const stopWords = new Set("a an and as for from in into it of on or skill that the then this to which with".split(" "))

const offlineSkill = (description: string): SkillText => {
  const words = (description.normalize("NFKD").toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) =>
    !stopWords.has(word) && word.length <= 20
  )
  const text = description.trim().replaceAll("\0", "").slice(0, 1000)
  const instructions = [
    `# ${text.split("\n", 1)[0]?.slice(0, 100) ?? "A skill"}`,
    text,
    "1. Say in a sentence what the result shall be, and ask the user if that is unclear.",
    "2. Gather what is needed, from files first.",
    "3. Do it step by step and check each step.",
    "4. Answer with the result and with what is still open."
  ]
  return blank(nameOf(words.slice(0, 4).join("-").slice(0, 64) || "new-skill"), text, instructions.join("\n\n"))
}
