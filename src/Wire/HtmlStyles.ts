/** The declarations of a style: names and values in lower case. */
export type Style = ReadonlyMap<string, string>

type Attributes = Readonly<Record<string, string>>

interface Rule {
  /** Names of elements, of classes and ids with their sign, and of attributes in brackets, also with their value. */
  readonly selector: ReadonlyArray<string>
  readonly declarations: ReadonlyArray<Declaration>
}

interface Declaration {
  readonly name: string
  readonly value: string
  readonly isImportant: boolean
}

const maxRules = 500

const withoutComments = (text: string): string => {
  const [first = "", ...comments] = text.split("/*")
  return first +
    comments.map((comment) => comment.includes("*/") ? comment.slice(comment.indexOf("*/") + 2) : "").join("")
}

const unescaped = (text: string): string =>
  text.replaceAll(
    /\\([\da-f]{1,6}) ?/gi,
    (_, code: string) => String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10FFFF))
  )

const declarationsOf = (text: string): ReadonlyArray<Declaration> =>
  unescaped(withoutComments(text)).toLowerCase().split(";").flatMap((one) => {
    const colon = one.indexOf(":")
    if (colon === -1) return []
    const [value = "", ...marks] = one.slice(colon + 1).split("!")
    const isImportant = marks.join("").trim() === "important"
    return [{ name: one.slice(0, colon).trim(), value: value.trim(), isImportant }]
  })

/** An attribute as `[name]` or `[name=value]`; with any other condition, by its name. */
const attributeOf = (condition: string): string => {
  const [, name = "", value] = /^([\w-]+)(?:=["']?([\w-]+)["']?$)?/.exec(condition.replaceAll(/\s+/g, "")) ?? []
  return value === undefined ? `[${name}]` : `[${name}=${value}]`
}

/** In doubt, the element has the state for which a pseudo-class asks; a pseudo-element is no element. */
const selectorOf = (text: string): ReadonlyArray<string> => {
  const plain = text.trim().replaceAll(/\[([^[\]]*)\]/g, (_, condition: string) => attributeOf(condition))
  const last = plain.split(/[\s>+~]+/).at(-1) ?? ""
  if (/::|:(?:before|after|first-l|marker|placeholder|selection)/.test(last)) return []
  const simple = last.replaceAll(/:[\w-]+(?:\([^()]*\))?/g, "").replace(/^\*/, "")
  return /^(?:[.#\w-]|\[[^[\]]+\])+$/.test(simple)
    ? (simple.match(/[.#]?[\w-]+|\[[^[\]]+\]/g) ?? []).map((one) => /^[\w-]/.test(one) ? one.toLowerCase() : one)
    : []
}

/** The rules of style sheets, of which the last part of each simple selector counts. Those of media count as well. */
export const rulesOf = (sheets: ReadonlyArray<string>): ReadonlyArray<Rule> =>
  sheets.flatMap((sheet) => withoutComments(sheet).split("}")).slice(0, maxRules).flatMap((piece) => {
    const [text = "", selectors = ""] = piece.split("{").toReversed()
    const declarations = declarationsOf(text)
    return declarations.length === 0 ? [] : selectors.split(",").flatMap((one) => {
      const selector = selectorOf(one)
      return selector.length === 0 ? [] : [{ selector, declarations }]
    })
  })

/** Of the style sheets, and its own. */
export const styleOf = (name: string, attributes: Attributes, rules: ReadonlyArray<Rule>): Style => {
  const { class: classes = "", id = "", style = "" } = attributes
  const names = new Set([
    name,
    `#${id}`,
    ...classes.split(/\s+/).map((one) => `.${one}`),
    ...Object.entries(attributes).flatMap(([key, value]) => [`[${key}]`, `[${key}=${value}]`])
  ])
  const matched = rules.filter(({ selector }) => selector.every((one) => names.has(one)))
  const all = [...matched.flatMap(({ declarations }) => declarations), ...declarationsOf(style)]
  const inOrder = [...all.filter(({ isImportant }) => !isImportant), ...all.filter(({ isImportant }) => isImportant)]
  return new Map(inOrder.map(({ name, value }) => [name, value]))
}

const pixels: Readonly<Record<string, number>> = {
  em: 16,
  rem: 16,
  "%": 10,
  vw: 10,
  vh: 10,
  in: 96,
  cm: 38,
  mm: 4,
  pt: 1.3
}

/** The lengths of a value in pixels, about. */
const lengthsOf = (value: string | undefined): ReadonlyArray<number> =>
  Array.from(
    (value ?? "").matchAll(/(-?(?:\d+\.?\d*|\.\d+))([a-z]+|%)?/g),
    ([, number, unit = ""]) => Number(number) * (pixels[unit] ?? 1)
  )

const maxUnreadable = 3
const maxFar = 500

const isTiny = (value: string | undefined): boolean => lengthsOf(value).some((length) => length <= maxUnreadable)

const unchanged = /^(?:none|auto|normal|visible|inherit|initial|unset|revert|[01]|100%)?$/

/** Properties that hide by many values. */
const hiding = [
  "visibility",
  "content-visibility",
  "filter",
  "clip",
  "clip-path",
  "mask",
  "mask-image",
  "-webkit-mask-image",
  "-webkit-text-security",
  "transform",
  "rotate",
  "translate"
]

/** Whether nobody sees what is in an element with this style, whatever is in it. In doubt, nobody does. */
export const isHiding = (style: Style): boolean => {
  const value = (name: string) => style.get(name) ?? ""
  return value("display").includes("none") || value("mso-hide") === "all"
    || hiding.some((name) => !unchanged.test(value(name)))
    || lengthsOf(style.get("opacity")).some((opacity) => opacity < 0.1)
    || ["scale", "zoom"].some((name) => lengthsOf(style.get(name)).some((scale) => scale < 0.2))
    || isTiny(style.get("max-height")) || isTiny(style.get("max-width"))
    || (["overflow", "overflow-x", "overflow-y"].some((name) => !unchanged.test(value(name)))
      && (isTiny(style.get("height")) || isTiny(style.get("width"))))
    || [...style].some(([name, text]) =>
      /^(?:left|right|top|bottom|inset|text-indent|margin|padding)/.test(name)
      && lengthsOf(text).some((length) => Math.abs(length) >= maxFar)
    )
    || lengthsOf(style.get("letter-spacing")).some((length) => length < -maxUnreadable)
}

/** Whether letters of this size are too small to be read; null: the style has no size. */
export const isTooSmall = (style: Style): boolean | null => {
  const size = style.get("font-size") ??
    /(?<![\d.])(?:[\d.]+(?:px|pt|em|%)|0(?=[\s/]))/.exec(style.get("font") ?? "")?.[0]
  if (size === undefined || /^[a-z-]+$/.test(size)) return null
  const [length = 0] = lengthsOf(size)
  return size.includes("(") || length < (size.endsWith("%") ? 200 : maxUnreadable)
}

/** Red, green and blue; `none`: transparent. */
export type Color = readonly [number, number, number] | "none"

const white: Color = [255, 255, 255]

const named: Readonly<Record<string, Color>> = {
  white,
  snow: white,
  ivory: white,
  ghostwhite: white,
  floralwhite: white,
  whitesmoke: white,
  azure: white,
  aliceblue: white,
  honeydew: white,
  lavenderblush: white,
  lightyellow: white,
  mintcream: white,
  seashell: white,
  black: [0, 0, 0],
  transparent: "none"
}

/** The parts of a colour: hexadecimal digits, or numbers and percentages. */
const channelsOf = (text: string): ReadonlyArray<number> => {
  if (!text.startsWith("#")) {
    return Array.from(
      text.matchAll(/(\d*\.?\d+)(%)?/g),
      ([, number, percent]) => Number(number) * (percent !== undefined && text.startsWith("rgb") ? 2.55 : 1)
    )
  }
  const digits = text.length < 6
    ? Array.from(text.slice(1), (digit) => digit + digit)
    : text.slice(1).match(/../g) ?? []
  return digits.map((pair, at) => Number.parseInt(pair, 16) / (at === 3 ? 255 : 1))
}

/** The first colour of a value, transparent if in doubt; null: it has none that is known. */
export const colorOf = (value: string | undefined): Color | null => {
  const [text = ""] = /#[\da-f]{3,8}|\b[a-z-]+\([^()]*\)|\b[a-z]+\b/.exec(value?.toLowerCase() ?? "") ?? []
  const [red = 0, green = 0, blue = 0, alpha = 1] = channelsOf(text)
  if (text.startsWith("#") || text.startsWith("rgb")) return alpha < 0.1 ? "none" : [red, green, blue]
  // Between both ends, the other two values decide.
  if (text.startsWith("hsl")) return alpha < 0.1 ? "none" : blue > 95 ? white : blue < 5 ? [0, 0, 0] : null
  if (text.endsWith(")")) return "none"
  return Object.hasOwn(named, text) ? named[text] ?? null : null
}

const maxDifference = 24

/** Whether text of this colour can't be told from its background; an unknown colour can. */
export const isUnseen = (color: Color | null, background: Color | null): boolean =>
  color === "none"
  || (color !== null && background !== null && background !== "none"
    && color.every((part, at) => Math.abs(part - (background[at] ?? 0)) < maxDifference))
