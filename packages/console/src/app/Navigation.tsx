import { Link } from "@tanstack/react-router"
import { Button } from "../parts/Button.tsx"
import { Plus, Search } from "../parts/Icons.ts"
import { Kbd } from "../parts/Kbd.tsx"
import { openNewTask, overlay } from "../parts/Overlays.ts"
import { Account } from "./Account.tsx"
import { InboxCount } from "./InboxCount.tsx"
import { usePlaces } from "./Places.ts"
import { ThemeSwitch } from "./ThemeSwitch.tsx"

const linkLook = "flex h-8 items-center gap-2 rounded-md px-2 text-muted hover:bg-raised hover:text-text "
  + "data-[status=active]:bg-raised data-[status=active]:font-medium data-[status=active]:text-text"

/** The way to every screen. `onLeave` is called when something else is opened from it. */
export const Navigation = ({ onLeave = () => undefined }: { readonly onLeave?: () => void }) => {
  const places = usePlaces()
  const opening = (open: () => void) => () => {
    onLeave()
    open()
  }
  return (
    <nav aria-label="Screens" className="flex h-full flex-col gap-3 p-3">
      <Link to="/" className="flex items-center gap-2 px-2 py-1 text-base font-semibold" onClick={onLeave}>
        <span aria-hidden className="grid size-6 place-items-center rounded-md bg-accent-fill font-bold text-on-accent">
          T
        </span>
        Troupe
      </Link>
      <div className="flex gap-1.5">
        <Button
          kind="primary"
          className="flex-1 justify-start px-2"
          onClick={opening(openNewTask)}
        >
          <Plus aria-hidden /> New task
        </Button>
        <Button
          size="icon"
          aria-label="Search and commands"
          title="Search and commands (Ctrl+K)"
          onClick={opening(() => overlay.set({ _tag: "commands" }))}
        >
          <Search aria-hidden />
        </Button>
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto">
        {places.map(({ group, places }) => (
          <div key={group}>
            <h2 className="px-2 pb-1 text-xs font-medium text-muted">{group}</h2>
            <ul>
              {places.map(({ icon: Icon, name, to }) => (
                <li key={to}>
                  <Link to={to} className={linkLook} activeOptions={{ exact: to === "/" }} onClick={onLeave}>
                    <Icon aria-hidden className="size-4" /> {name}
                    {to === "/" && <InboxCount />}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <Account />
      <div className="flex items-center justify-between">
        <ThemeSwitch />
        <Button
          kind="ghost"
          size="small"
          className="gap-1 px-1"
          onClick={opening(() => overlay.set({ _tag: "shortcuts" }))}
        >
          Shortcuts <Kbd keys={["?"]} />
        </Button>
      </div>
    </nav>
  )
}
