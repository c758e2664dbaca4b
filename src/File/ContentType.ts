import { imageTypeOf } from "./Images.ts"

const office = "application/vnd.openxmlformats-officedocument."

const types: Readonly<Record<string, string>> = {
  txt: "text/plain",
  md: "text/markdown",
  json: "application/json",
  csv: "text/csv",
  pdf: "application/pdf",
  docx: `${office}wordprocessingml.document`,
  pptx: `${office}presentationml.presentation`,
  xlsx: `${office}spreadsheetml.sheet`
}

/** The media type that the extension of a name promises; that of arbitrary bytes for names with another extension. */
export const contentTypeOf = (name: string): string => {
  const extension = (/\.([^./]+)$/.exec(name)?.[1] ?? "").toLowerCase()
  return imageTypeOf(name) ?? (Object.hasOwn(types, extension) ? types[extension] : undefined)
    ?? "application/octet-stream"
}
