import { documentText } from "../../../src/File/Documents/Extraction.ts"
import { archive, wordParts } from "./files.ts"

export const text = (body: string, more: Readonly<Record<string, string>> = {}) =>
  documentText("a.docx", archive({ ...wordParts(body), ...more }))

export const run = (content: string) => `<w:r>${content}</w:r>`

export const words = (content: string) => run(`<w:t xml:space="preserve">${content}</w:t>`)

export const paragraph = (...content: ReadonlyArray<string>) => `<w:p>${content.join("")}</w:p>`

export const drawing = (content: string, properties = "") =>
  run(
    `<w:drawing><wp:inline><wp:docPr id="1" name="x" ${properties}/><a:graphic>${content}</a:graphic></wp:inline></w:drawing>`
  )
