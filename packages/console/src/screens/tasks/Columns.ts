import { useLayoutEffect, useState } from "react"
import { storedText, storeText } from "../../service/Storage.ts"
import { makeStore } from "../../service/Store.ts"

/** The columns after the title and the state, in their order, with their widths in pixels. */
export const columns = {
  source: { name: "Source", width: 104 },
  project: { name: "Project", width: 120 },
  agent: { name: "Agent", width: 112 },
  creator: { name: "Creator", width: 112 },
  assignee: { name: "Assignee", width: 112 },
  ended: { name: "Ended by", width: 136 },
  duration: { name: "Duration", width: 84, isNumber: true },
  tokens: { name: "Tokens", width: 64, isNumber: true },
  cost: { name: "Cost", width: 72, isNumber: true },
  created: { name: "Created", width: 96, isNumber: true }
} as const satisfies Record<string, { readonly name: string; readonly width: number; readonly isNumber?: true }>

export type ColumnName = keyof typeof columns

export const columnNames = Object.keys(columns).filter((name): name is ColumnName => name in columns)

const usual: ReadonlyArray<ColumnName> = ["source", "project", "creator", "assignee", "tokens", "created"]

/** Those that are left out first where there is no room for all. */
const leastImportant: ReadonlyArray<ColumnName> = ["project", "source", "tokens", "assignee", "creator", "created"]

const place = "troupe.taskColumns"

const kept = (): ReadonlyArray<ColumnName> => {
  const text = storedText(place)
  return text === null ? usual : columnNames.filter((name) => text.split(",").includes(name))
}

/** The columns that a person has chosen, in this browser. */
export const chosenColumns = makeStore(kept())

export const chooseColumns = (chosen: ReadonlyArray<ColumnName>): void => {
  storeText(place, chosen.join(","))
  chosenColumns.set(columnNames.filter((name) => chosen.includes(name)))
}

export const chooseUsualColumns = (): void => {
  storeText(place, null)
  chosenColumns.set(usual)
}

/** Of the box for the selection, the state, the gaps and the least of the title. */
const fixedWidth = { selection: 20, state: 168, gap: 12, padding: 32, title: 340 }

/** How wide a list with these columns is at least. */
export const widthOf = (shown: ReadonlyArray<ColumnName>): number => {
  const { gap, padding, selection, state, title } = fixedWidth
  return shown.reduce((sum, name) => sum + columns[name].width + gap, selection + state + title + padding + 2 * gap)
}

/** The chosen columns; as long as nobody chose any, those that a list of this width has room for. */
export const columnsWithin = (chosen: ReadonlyArray<ColumnName>, width: number): ReadonlyArray<ColumnName> =>
  chosen === usual
    ? leastImportant.reduce(
      (shown, name) => widthOf(shown) > width ? shown.filter((one) => one !== name) : shown,
      chosen
    )
    : chosen

/** The columns of the grid; in narrow windows there are the title and the state alone. */
export const templateOf = (shown: ReadonlyArray<ColumnName>, isNarrow: boolean): string =>
  isNarrow
    ? `${fixedWidth.selection}px minmax(0, 1fr) auto`
    : [
      `${fixedWidth.selection}px minmax(0, 1fr) ${fixedWidth.state}px`,
      ...shown.map((name) => `${columns[name].width}px`)
    ].join(" ")

/** The width of an element, also when it changes. */
export const useWidth = (element: HTMLElement | null): number => {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (element === null) return
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return width
}

/** A row of the list, and the heads of its columns. */
export const rowLook = "grid items-center gap-x-3 px-4"
