import { type RefObject, useEffect, useRef } from "react"

/** Keeps the selected one of some tabs in view where they are wider than the window. `layout` changes with their widths. */
export const useSelectedTab = (layout: string): RefObject<HTMLDivElement | null> => {
  const tabs = useRef<HTMLDivElement>(null)
  useEffect(() => {
    tabs.current?.querySelector("[aria-pressed=true], [aria-current=page]")?.scrollIntoView({
      block: "nearest",
      inline: "nearest"
    })
  }, [layout])
  return tabs
}
