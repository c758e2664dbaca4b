import * as Tool from "@effect/ai/Tool"
import type { UserId } from "@troupe/domain/Ids"
import { excerptChars, excerptLines } from "@troupe/domain/Text"
import { Effect, Schema } from "effect"
import { Buffer } from "node:buffer"
import { posix } from "node:path"
import { maxEntries, type Sandbox } from "../File/Sandbox.ts"
import type { ReadableFiles } from "../Skill/SkillFiles.ts"
import { type AgentTool, orToolFailed, ToolFailed, type ToolOutcome } from "./AgentTool.ts"
import { digestOfContent, filesShow, shownByFile } from "./FileOrigin.ts"
import type { MailRecipients } from "./MailRecipients.ts"
import { implement } from "./ToolHandler.ts"

const directoryParameters = {
  path: Schema.optionalWith(
    Schema.String.annotations({
      description: "The folder, relative to the user's folder, or that of a skill, such as /skills/invoices/assets. "
        + "Default: \".\", the user's folder itself"
    }),
    { default: () => "." }
  )
}

export const ListDirectory = Tool.make("list_directory", {
  description: "List the files and folders in a folder of the user's files, with their sizes. Use it to find out "
    + `which files there are before you read, attach or overwrite one. Shows up to ${maxEntries} entries of one `
    + "folder; it does not look into the folders below.",
  parameters: directoryParameters
})

export const listDirectory = (files: ReadableFiles): AgentTool =>
  implement(ListDirectory, {
    changes: "nothing",
    timeout: "30 seconds",
    run: ({ path }, { userId, written }) =>
      Effect.map(orToolFailed(files.find(path, (path) => files.list(userId, path))), (found) => {
        const { isOfSkill, marked, result } = found
        const { entries, more } = result
        if (entries.length === 0) return marked("The folder is empty.")
        const isKnown = entries.every(({ kind, name }) =>
          kind === "file" && written?.has(posix.join(found.path, name)) === true
        )
        const lines = entries.map(({ kind, name, size }) => {
          if (kind === "file") return `${onOneLine(name)} (${size} bytes)`
          return kind === "folder"
            ? `${onOneLine(name)}/`
            : `${onOneLine(name)} (link or special file, can't be opened)`
        })
        const rest = more ? [`[Only ${entries.length} entries are shown; there are more.]`] : []
        return {
          _tag: "Answered",
          content: marked([...lines, ...rest].join("\n")),
          shows: isOfSkill || (isKnown && !more) ? {} : filesShow(`the names of files in ${found.path.slice(0, 200)}`)
        }
      })
  })

/** A name with a line break would read as several entries. */
const onOneLine = (name: string): string => (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name) ? JSON.stringify(name) : name)

/** Far more than a model is shown, so that the note on what was cut is right for usual files. */
const maxFileBytes = 262_144

export const lineRange = {
  offset: Schema.optionalWith(
    Schema.Int.pipe(Schema.nonNegative()).annotations({ description: "The first line to read, from 0. Default: 0" }),
    { default: () => 0 }
  ),
  limit: Schema.optional(
    Schema.Int.pipe(Schema.positive()).annotations({ description: "How many lines to read. Default: all" })
  )
}

export const ReadFile = Tool.make("read_file", {
  description:
    "Read a text file of the user's files, or of a skill's (/skills/<name>/). Give offset and limit to read a long file piece by piece: a "
    + `result of more than ${excerptChars} characters shows only its first ${excerptLines} lines. For PDF, `
    + "Word, Excel, PowerPoint and images use read_document instead.",
  parameters: {
    path: Schema.String.annotations({
      description:
        "The file, relative to the user's folder, or that of a skill, such as /skills/invoices/references/vat.md"
    }),
    ...lineRange
  }
})

export const readFile = (files: ReadableFiles): AgentTool =>
  implement(ReadFile, {
    changes: "nothing",
    timeout: "60 seconds",
    run: ({ limit, offset, path }, context) =>
      Effect.gen(function*() {
        const { userId } = context
        const window = { offset, maxBytes: maxFileBytes, ...(limit === undefined ? {} : { limit }) }
        const found = yield* orToolFailed(files.find(path, (path) => files.read(userId, path, window)))
        const { marked, result: { cut, lines, more, size, text } } = found
        const shows = yield* shownByFile(files, context, found)
        const answer = (content: string): ToolOutcome => ({ _tag: "Answered", content: marked(content), shows })
        if (text.includes("\0")) {
          return yield* new ToolFailed({
            reason: `${JSON.stringify(path)} is not a text file. Use read_document for documents and images.`
          })
        }
        if (lines === 0) {
          return marked(
            size === 0 ? "[The file is empty.]" : `[The file ends before line ${offset}; lines count from 0.]`
          )
        }
        if (cut) return answer(`[The file has ${size} bytes. Not all of the lines asked for fit here.]\n${text}`)
        return answer(more ? `${text}\n[The file goes on: continue with offset ${offset + lines}.]` : text)
      })
  })

const writeParameters = {
  path: Schema.String.annotations({ description: "The file, relative to the user's folder, such as notes/plan.md" }),
  content: Schema.String.annotations({ description: "The text to write" }),
  append: Schema.optionalWith(
    Schema.Boolean.annotations({
      description: "true adds the text to the end of the file, false replaces the whole file. Default: false"
    }),
    { default: () => false }
  )
}

export const WriteFile = Tool.make("write_file", {
  description: "Write a text file among the user's files; missing folders are created. It replaces the whole "
    + "file unless append is true. Write a long text in several calls: the first without append, the others with "
    + "it. The user only gets the file with the answer if you call attach_file as well.",
  parameters: writeParameters
})

export const writeFile = (sandbox: Sandbox["Type"]): AgentTool =>
  implement(WriteFile, {
    changes: "own",
    forSubagents: ["general", "tool-specialist"],
    timeout: "60 seconds",
    effect: ({ append }) => (append ? "outside" : "idempotent"),
    run: ({ append, content, path }, { userId }) =>
      Effect.gen(function*() {
        const file = yield* orToolFailed(sandbox.write(userId, path, content, { append }))
        return {
          _tag: "Answered",
          content: `${append ? "Added to" : "Wrote"} ${file.path}, which now has ${file.size} bytes.`,
          writes: append
            ? yield* orToolFailed(appended(sandbox, userId, file.path, content))
            : { path: file.path, digest: digestOfContent(content) }
        }
      })
  })

/** What the file is now, and what it was before this text. */
const appended = (sandbox: Sandbox["Type"], userId: UserId, path: string, content: string) =>
  Effect.map(sandbox.readBytes(userId, path), (bytes) => ({
    path,
    digest: digestOfContent(bytes),
    after: digestOfContent(bytes.subarray(0, bytes.length - Buffer.byteLength(content)))
  }))

export const AttachFile = Tool.make("attach_file", {
  description: "Attach a file of the user's files to the message that the user gets when the task is completed. The "
    + "file must exist already: write it first. Call it once for each file.",
  parameters: {
    path: Schema.String.annotations({ description: "An existing file, relative to the user's folder" })
  }
})

/** The file is posted with the result, which guests may read where the task has its conversation. */
export const attachFile = (
  sandbox: Sandbox["Type"],
  recipients: Pick<MailRecipients["Type"], "checkPost">
): AgentTool => ({
  ...implement(AttachFile, {
    changes: "nothing",
    class: "own",
    timeout: "30 seconds",
    review: ({ path }, { taskId, userId }) =>
      Effect.gen(function*() {
        const content = yield* orToolFailed(sandbox.readBytes(userId, path))
        const { leaves, mayAsk } = yield* recipients.checkPost(taskId, path)
        const digest = digestOfContent(content)
        return {
          isUnexpected: false,
          leaves,
          mayAsk,
          refusal:
            "people outside of the team read the conversation in which the result is posted, and nobody can be asked "
            + "whether the file may be posted there. It is not attached. Say in the result where the file is.",
          files: [{ path, size: content.length, sha256: digest }],
          digest,
          question: null
        }
      }),
    run: ({ path }, { userId }) =>
      Effect.map(orToolFailed(sandbox.stat(userId, path)), (file) => ({
        _tag: "Answered",
        content: `${file.path} (${file.size} bytes) will be attached to the completion message.`,
        attach: [file.path]
      }))
  }),
  isReviewedToLeave: true
})
