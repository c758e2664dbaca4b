import type { LinkProps } from "@tanstack/react-router"
import {
  Activity,
  Bot,
  Brain,
  CalendarClock,
  Cpu,
  Folder,
  GraduationCap,
  Hash,
  type Icon,
  Inbox,
  ListChecks,
  Rss,
  Scale,
  Send,
  ShieldCheck,
  SlidersHorizontal,
  Users,
  Webhook,
  Wrench
} from "../parts/Icons.ts"
import { useMayOperate } from "../service/Rights.ts"

/** A screen that the navigation, the command menu and the shortcut `g` + key lead to. */
interface Place {
  readonly to: NonNullable<LinkProps["to"]>
  readonly name: string
  readonly icon: Icon
  readonly key: string
  /** Of a hosted service, only owners and admins may see it. */
  readonly isForOperators?: true
}

interface PlaceGroup {
  readonly group: string
  readonly places: ReadonlyArray<Place>
}

/** The screens in the order of the navigation, by group. */
const allPlaces: ReadonlyArray<PlaceGroup> = [
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
      { to: "/agents", name: "Agents", icon: Bot, key: "e" },
      { to: "/skills", name: "Skills", icon: GraduationCap, key: "k" },
      { to: "/models", name: "Models", icon: Cpu, key: "l", isForOperators: true },
      { to: "/tool-servers", name: "Tool servers", icon: Wrench, key: "v" },
      { to: "/policy", name: "Policy", icon: Scale, key: "r" },
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
      { to: "/webhooks", name: "Webhooks", icon: Webhook, key: "w", isForOperators: true },
      { to: "/outbox", name: "Outbox", icon: Send, key: "o", isForOperators: true },
      { to: "/subscriptions", name: "Subscriptions", icon: Rss, key: "b" },
      { to: "/settings", name: "Settings", icon: SlidersHorizontal, key: "s", isForOperators: true },
      { to: "/system", name: "System", icon: Activity, key: "y" }
    ]
  }
]

const memberPlaces = allPlaces.map(({ group, places }) => ({
  group,
  places: places.filter(({ isForOperators }) => isForOperators !== true)
}))

/** The screens that are open to the one who works here. */
export const usePlaces = (): ReadonlyArray<PlaceGroup> => useMayOperate() === false ? memberPlaces : allPlaces
