/** The declarations of a style: names and values in lower case. */
export type Style = ReadonlyMap<string, string>

type Attributes = Readonly<Record<string, string>>

interface Rule {
  /** Names of elements, and of classes and ids with their sign. */
  readonly selector: ReadonlyArray<string>
  readonly style: Style
}

const maxRules = 500

/** Without comments and escapes. */
const plainCss = (text: string): string =>
  text.replaceAll(/\/\*[^*]*\*\//g, "").replaceAll(
    /\\([\da-f]{1,6}) ?/gi,
    (_, code: string) => String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10FFFF))
  )

const declarationsOf = (text: string): ReadonlyArray<readonly [string, string]> =>
  plainCss(text).toLowerCase().split(";").flatMap((one) => {
    const colon = one.indexOf(":")
    return colon === -1
      ? []
      : [[one.slice(0, colon).trim(), one.slice(colon + 1).replace("!important", "").trim()] as const]
  })

/** The rules of style sheets, of which the last part of each simple selector counts. Those of media count as well. */
export const rulesOf = (sheets: ReadonlyArray<string>): ReadonlyArray<Rule> =>
  sheets.flatMap((sheet) => sheet.split("}")).slice(0, maxRules).flatMap((piece) => {
    const [declarations = "", selectors = ""] = piece.split("{").toReversed()
    const style: Style = new Map(declarationsOf(declarations))
    return style.size === 0 ? [] : selectors.split(",").flatMap((selector) => {
      const last = selector.trim().split(/[\s>+~]+/).at(-1) ?? ""
      return /^[.#\w-]+$/.test(last) ? [{ selector: last.match(/[.#]?[\w-]+/g) ?? [], style }] : []
    })
  })

/** Of the style sheets, and its own. */
export const styleOf = (name: string, attributes: Attributes, rules: ReadonlyArray<Rule>): Style => {
  const { class: classes = "", id = "", style = "" } = attributes
  const names = new Set([name, `#${id}`, ...classes.split(/\s+/).map((one) => `.${one}`)])
  const matched = rules.filter(({ selector }) => selector.every((one) => names.has(one)))
  return new Map([...matched.flatMap((rule) => [...rule.style]), ...declarationsOf(style)])
}

const isZero = (value: string | undefined): boolean => value !== undefined && Number.parseFloat(value) === 0

const isFarAway = (value: string): boolean =>
  Number.parseFloat(value) * (/(?:em|vw|vh|in|cm)$/.test(value) ? 16 : 1) < -500

/** Whether nobody sees what is in an element with this style, whatever is in it. */
export const isHiding = (style: Style): boolean => {
  const value = (name: string) => style.get(name) ?? ""
  return value("display") === "none" || /^(?:hidden|collapse)$/.test(value("visibility")) || value("mso-hide") === "all"
    || Number.parseFloat(style.get("opacity") ?? "1") < 0.1 || value("filter").includes("opacity(0")
    || value("content-visibility") === "hidden"
    || isZero(style.get("max-height")) || isZero(style.get("max-width"))
    || (value("overflow").includes("hidden") && (isZero(style.get("height")) || isZero(style.get("width"))))
    || ["left", "right", "top", "bottom", "text-indent", "margin-left", "margin-top", "margin"].some((name) =>
      isFarAway(value(name))
    )
    || value("clip").startsWith("rect(0") || /^inset\((?:50|100)%/.test(value("clip-path")) ||
    /scale\(0[,)]/.test(value("transform"))
}

/** Whether letters of this size are too small to be read; null: the style has no size. */
export const isTooSmall = (style: Style): boolean | null => {
  const size = style.get("font-size") ?? /(?<![\d.])[\d.]+(?:px|pt|em|%)/.exec(style.get("font") ?? "")?.[0]
  const [, number = "", unit = ""] = /^([\d.]+)(px|pt|em|rem|%)?$/.exec(size ?? "") ?? []
  if (number === "") return null
  return Number(number) < (unit === "%" ? 20 : unit.endsWith("em") ? 0.2 : 3)
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
  black: [0, 0, 0],
  transparent: "none"
}

/** The first colour of a value; null: it has none that is known. */
export const colorOf = (value: string | undefined): Color | null => {
  const [text = ""] = /#[\da-f]{3,8}|(?:rgb|hsl)a?\([^()]*\)|\b[a-z]+\b/.exec(value?.toLowerCase() ?? "") ?? []
  if (text.startsWith("#")) {
    const digits = text.length < 6
      ? Array.from(text.slice(1, 4), (digit) => digit + digit)
      : text.slice(1, 7).match(/../g) ?? []
    const [red = 0, green = 0, blue = 0] = digits.map((digit) => Number.parseInt(digit, 16))
    return [red, green, blue]
  }
  if (text.startsWith("rgb")) {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (text.match(/\d*\.?\d+/g) ?? []).map(Number)
    return alpha < 0.1 ? "none" : [red, green, blue]
  }
  if (text.startsWith("hsl")) {
    const [, , light = 0, alpha = 1] = (text.match(/\d*\.?\d+/g) ?? []).map(Number)
    // Between both ends, the other two values decide.
    return alpha < 0.1 ? "none" : light > 95 ? white : light < 5 ? [0, 0, 0] : null
  }
  return Object.hasOwn(named, text) ? named[text] ?? null : null
}

const maxDifference = 24

/** Whether text of this colour can't be told from its background; an unknown colour can. */
export const isUnseen = (color: Color | null, background: Color | null): boolean =>
  color === "none"
  || (color !== null && background !== null && background !== "none"
    && color.every((part, at) => Math.abs(part - (background[at] ?? 0)) < maxDifference))
