import type { LinkProps } from "@tanstack/react-router"
import { Inbox, ListChecks, type LucideIcon } from "lucide-react"

/** A screen that the navigation, the command menu and the shortcut `g` + key lead to. */
export interface Place {
  readonly to: NonNullable<LinkProps["to"]>
  readonly name: string
  readonly icon: LucideIcon
  readonly key: string
}

/** The screens in the order of the navigation, by group. */
export const places: ReadonlyArray<{ readonly group: string; readonly places: ReadonlyArray<Place> }> = [
  {
    group: "Work",
    places: [
      { to: "/", name: "Inbox", icon: Inbox, key: "i" },
      { to: "/tasks", name: "Tasks", icon: ListChecks, key: "t" }
    ]
  }
]
