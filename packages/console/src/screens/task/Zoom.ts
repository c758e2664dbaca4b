import { useEffect, useState } from "react"
import { tinykeys } from "tinykeys"
import { unlessTyping } from "../../parts/Keys.ts"

/** The part of the scale that is shown, from 0 to 1. */
export interface View {
  readonly from: number
  readonly to: number
}

export const wholeView: View = { from: 0, to: 1 }

/** A ten-thousandth of the time is still wider than a bar of the shortest work. */
const minWidth = 0.0001

const limited = (from: number, width: number): View => {
  const begin = Math.min(Math.max(from, 0), 1 - width)
  return { from: begin, to: begin + width }
}

/** Shows `factor` times as much, and the place `x` of the view stays where it is. */
export const zoomed = ({ from, to }: View, factor: number, x = 0.5): View => {
  const before = to - from
  const width = Math.min(Math.max(before * factor, minWidth), 1)
  return limited(from + x * (before - width), width)
}

/** Moves by a part of what is shown. */
export const moved = ({ from, to }: View, by: number): View => limited(from + by * (to - from), to - from)

/** Where a place of the scale is in the view; outside of 0 to 1 it is not shown. */
export const inView = ({ from, to }: View, x: number): number => (x - from) / (to - from)

/** The view of the waterfall, changed by buttons, keys, a finger (move), and the wheel with Ctrl (zoom) or Shift (move). */
export const useZoom = () => {
  const [view, setView] = useState(wholeView)
  const [element, setElement] = useState<HTMLElement | null>(null)
  useEffect(() => {
    if (element === null) return
    const turn = (event: WheelEvent) => {
      const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX
      if (!event.ctrlKey && !event.metaKey && Math.abs(sideways) <= Math.abs(event.shiftKey ? 0 : event.deltaY)) return
      event.preventDefault()
      const { left, width } = element.getBoundingClientRect()
      if (width === 0) return
      setView((before) =>
        event.ctrlKey || event.metaKey
          ? zoomed(before, Math.exp(event.deltaY / 300), Math.min(Math.max((event.clientX - left) / width, 0), 1))
          : moved(before, sideways / width)
      )
    }
    /** Where a finger was that moves sideways; the browser scrolls with one that moves up or down. */
    let finger: number | null = null
    const drag = ({ clientX, isPrimary, pointerType, type }: PointerEvent) => {
      if (pointerType !== "touch" || !isPrimary) return
      const before = finger
      finger = type === "pointerdown" || type === "pointermove" ? clientX : null
      if (type !== "pointermove" || before === null) return
      const { width } = element.getBoundingClientRect()
      if (width === 0) return
      setView((view) => moved(view, (before - clientX) / width))
    }
    const list = element.parentElement ?? element
    const drags = ["pointerdown", "pointermove", "pointerup", "pointercancel"] as const
    list.addEventListener("wheel", turn, { passive: false })
    for (const name of drags) list.addEventListener(name, drag)
    return () => {
      list.removeEventListener("wheel", turn)
      for (const name of drags) list.removeEventListener(name, drag)
    }
  }, [element])
  useEffect(() =>
    tinykeys(window, {
      "+": unlessTyping(() => setView((before) => zoomed(before, 0.5))),
      "Shift++": unlessTyping(() => setView((before) => zoomed(before, 0.5))),
      "-": unlessTyping(() => setView((before) => zoomed(before, 2))),
      "0": unlessTyping(() => setView(wholeView)),
      "Shift+ArrowLeft": unlessTyping(() => setView((before) => moved(before, -0.25))),
      "Shift+ArrowRight": unlessTyping(() => setView((before) => moved(before, 0.25)))
    }), [])
  return { view, setView, setElement }
}
