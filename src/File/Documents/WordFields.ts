import type { Attributes } from "./OfficeXml.ts"
import { type Close, escaped, type WordOutput } from "./WordOutput.ts"

interface Field {
  instruction: string
  /** Whether its result has begun. */
  isShown: boolean
  /** Whether its result went into the instruction of another field. */
  isTaken: boolean
  /** How many texts were written before it. */
  readonly before: number
  isLink: boolean
}

/** Fields that show nothing, and those of forms, which may be empty. */
const silent = /^\s*(?:XE|TC|TA|RD|PRIVATE|SET|ASK|HYPERLINK|ADVANCE|FORM\w+)\b/i

/**
 * Reads the fields of a Word document in both forms. Their results are text as any other; a link keeps its address, the
 * values of forms become text, and a field without a result a mark with what it asks for.
 */
export const wordFields = (output: WordOutput) => {
  const fields: Array<Field> = []
  let inInstruction = false
  /** What a form's field has: entries or a check mark. */
  let form: { readonly entries: Array<string>; chosen: string | null; initial: string | null } | null = null

  const unshown = (of: ReadonlyArray<Field> = fields) => of.findLast(({ isShown }) => !isShown)
  const begin = (instruction = "") =>
    void fields.push({ instruction, isShown: false, isTaken: false, before: output.count(), isLink: false })
  const show = () => {
    const field = fields.at(-1)
    if (field !== undefined) field.isShown = true
    const [, quoted, bare] = /^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s\\"]\S*))/i.exec(field?.instruction ?? "") ?? []
    const address = quoted ?? bare
    if (field === undefined || field.isLink || address === undefined) return
    field.isLink = true
    output.write(
      `<w:fldChar w:fldCharType="begin"/><w:instrText> HYPERLINK "${escaped(address)}" </w:instrText>`
        + "<w:fldChar w:fldCharType=\"separate\"/>"
    )
  }
  const end = () => {
    const field = fields.pop()
    if (field === undefined) return
    if (field.isLink) output.write("<w:fldChar w:fldCharType=\"end\"/>")
    const instruction = field.instruction.trim()
    if (field.isTaken || output.count() !== field.before || instruction === "" || silent.test(instruction)) return
    const outer = unshown()
    if (outer === undefined) output.mark(`[Field: ${instruction}]`)
    else outer.instruction += `{${instruction}}`
  }
  const newForm = () => {
    form = { entries: [], chosen: null, initial: null }
  }
  const isOn = (value: string | null) => value !== null && value !== "0" && value !== "false"

  const handlers: Readonly<Record<string, (attributes: Attributes) => Close>> = {
    "w:fldSimple": ({ "w:instr": instruction }) => {
      begin(instruction)
      show()
      return end
    },
    "w:fldChar": ({ "w:fldCharType": type }) => {
      if (type === "begin") begin()
      if (type === "separate") show()
      if (type === "end") end()
      return () => {}
    },
    "w:instrText": () => {
      inInstruction = true
      return () => {
        inInstruction = false
      }
    },
    "w:checkBox": () => {
      newForm()
      return () => {
        output.mark(isOn(form?.chosen ?? form?.initial ?? null) ? "☒" : "☐")
        form = null
      }
    },
    "w:ddList": () => {
      newForm()
      return () => {
        output.mark(form?.entries[Number(form.chosen ?? form.initial ?? 0)] ?? "")
        form = null
      }
    },
    "w:checked": ({ "w:val": value = "1" }) => {
      if (form !== null) form.chosen = value
      return () => {}
    },
    "w:result": ({ "w:val": value = "0" }) => {
      if (form !== null) form.chosen = value
      return () => {}
    },
    "w:default": ({ "w:val": value = "1" }) => {
      if (form !== null) form.initial = value
      return () => {}
    },
    "w:listEntry": ({ "w:val": value = "" }) => {
      form?.entries.push(value)
      return () => {}
    }
  }
  return {
    open: (name: string, attributes: Attributes): Close | undefined => handlers[name]?.(attributes),
    /** Whether a text is none of the document: the result of a field in another's instruction is a part of that one. */
    text: (text: string): boolean => {
      const last = fields.at(-1)
      const into = inInstruction ? last : unshown(fields.slice(0, -1))
      if (last === undefined || into === undefined) return false
      into.instruction += text
      last.isTaken ||= !inInstruction
      return true
    }
  }
}
