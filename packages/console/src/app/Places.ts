import type { LinkProps } from "@tanstack/react-router"
import {
  Activity,
  Brain,
  CalendarClock,
  Folder,
  GraduationCap,
  Hash,
  Inbox,
  ListChecks,
  type LucideIcon,
  Rss,
  Send,
  ShieldCheck,
  Users,
  Webhook,
  Wrench
} from "lucide-react"

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
  },
  {
    group: "Agent",
    places: [
      { to: "/skills", name: "Skills", icon: GraduationCap, key: "k" },
      { to: "/tool-servers", name: "Tool servers", icon: Wrench, key: "v" },
      { to: "/memory", name: "Memory", icon: Brain, key: "m" },
      { to: "/files", name: "Files", icon: Folder, key: "f" }
    ]
  },
  {
    group: "People",
    places: [
      { to: "/people", name: "People", icon: Users, key: "p" },
      { to: "/channels", name: "Channels", icon: Hash, key: "n" },
      { to: "/team", name: "Team", icon: ShieldCheck, key: "a" }
    ]
  },
  {
    group: "Operate",
    places: [
      { to: "/schedules", name: "Schedules", icon: CalendarClock, key: "h" },
      { to: "/webhooks", name: "Webhooks", icon: Webhook, key: "w" },
      { to: "/outbox", name: "Outbox", icon: Send, key: "o" },
      { to: "/subscriptions", name: "Subscriptions", icon: Rss, key: "b" },
      { to: "/system", name: "System", icon: Activity, key: "y" }
    ]
  }
]
