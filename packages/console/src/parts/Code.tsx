import { Fragment, useEffect, useState } from "react"
import type { highlight, languages } from "./Highlighter.ts"

type Language = keyof typeof languages

/** What fences of code and names of files call the languages. */
const names: Readonly<Record<string, Language>> = {
  bash: "shellscript",
  cjs: "javascript",
  css: "css",
  htm: "html",
  html: "html",
  javascript: "javascript",
  js: "javascript",
  json: "json",
  jsonl: "json",
  jsx: "javascript",
  mjs: "javascript",
  mts: "typescript",
  ndjson: "json",
  py: "python",
  python: "python",
  sh: "shellscript",
  shell: "shellscript",
  sql: "sql",
  ts: "typescript",
  typescript: "typescript",
  yaml: "yaml",
  yml: "yaml"
}

/** A longer text stays plain: it would keep the page busy. */
const maxLength = 50_000

/** Text that is still being written is coloured once it rests. */
const restMillis = 150

interface Coloured {
  readonly text: string
  readonly lines: Awaited<ReturnType<typeof highlight>>
}

/** Code in the colours of its language, and plain until they are loaded. `name`: of the language, or the extension of a file. */
export const Code = ({ name, text }: { readonly name: string; readonly text: string }) => {
  const [coloured, setColoured] = useState<Coloured>()
  const language = Object.hasOwn(names, name.toLowerCase()) ? names[name.toLowerCase()] : undefined
  useEffect(() => {
    if (language === undefined || text.length > maxLength) return
    let isCurrent = true
    const colour = async () => {
      const { highlight } = await import("./Highlighter.ts")
      const lines = await highlight(text, language)
      if (isCurrent) setColoured({ text, lines })
    }
    // Without colours, the text is there all the same.
    const timer = setTimeout(() => void colour().catch(() => undefined), restMillis)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [language, text])
  if (coloured?.text !== text) return text
  return coloured.lines.map((line, index) => (
    <Fragment key={index}>
      {index > 0 && "\n"}
      {line.map(({ content, look }, at) =>
        look === undefined ? content : <span key={at} className={look}>{content}</span>
      )}
    </Fragment>
  ))
}
