import { inspect } from "node:util"

const styles = ["bold", "dim", "red", "green", "yellow", "cyan"] as const
type Style = (typeof styles)[number]

/** Colours a text, or leaves it as it is. */
export type TextStyle = Readonly<Record<Style, (text: string) => string>>

const as = (hasColors: boolean, style: Style) => (text: string) => {
  const [open, close] = inspect.colors[style] ?? [0, 0]
  return hasColors && text !== "" ? `\u001b[${open}m${text}\u001b[${close}m` : text
}

export const makeTextStyle = (hasColors: boolean): TextStyle => ({
  bold: as(hasColors, "bold"),
  dim: as(hasColors, "dim"),
  red: as(hasColors, "red"),
  green: as(hasColors, "green"),
  yellow: as(hasColors, "yellow"),
  cyan: as(hasColors, "cyan")
})
