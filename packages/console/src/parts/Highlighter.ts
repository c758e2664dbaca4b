import { createCssVariablesTheme, createHighlighterCore, type LanguageInput } from "shiki/core"
import { createJavaScriptRegexEngine } from "shiki/engine/javascript"

export const languages = {
  css: () => import("shiki/langs/css.mjs"),
  html: () => import("shiki/langs/html.mjs"),
  javascript: () => import("shiki/langs/javascript.mjs"),
  json: () => import("shiki/langs/json.mjs"),
  python: () => import("shiki/langs/python.mjs"),
  shellscript: () => import("shiki/langs/shellscript.mjs"),
  sql: () => import("shiki/langs/sql.mjs"),
  typescript: () => import("shiki/langs/typescript.mjs"),
  yaml: () => import("shiki/langs/yaml.mjs")
} satisfies Readonly<Record<string, LanguageInput>>

/** The classes of tokens in place of the styles that Shiki would write, which the policy of the page forbids. */
const looks: Readonly<Record<string, string>> = {
  comment: "text-muted",
  constant: "text-wait",
  keyword: "text-accent",
  link: "text-accent",
  punctuation: "text-muted",
  string: "text-good",
  "string-expression": "text-good"
}

const theme = createCssVariablesTheme({ name: "tokens", variablePrefix: "", fontStyle: false })

const highlighter = createHighlighterCore({ themes: [theme], langs: [], engine: createJavaScriptRegexEngine() })

/** The pieces of a text, each with the class of its colour. */
export const highlight = async (text: string, language: keyof typeof languages) => {
  const core = await highlighter
  await core.loadLanguage(languages[language])
  return core.codeToTokensBase(text, { lang: language, theme: "tokens", tokenizeMaxLineLength: 2_000 }).map((line) =>
    line.map(({ color, content }) => ({ content, look: looks[/token-([\w-]+)/.exec(color ?? "")?.[1] ?? ""] }))
  )
}
