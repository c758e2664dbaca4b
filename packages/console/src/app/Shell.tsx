import { Dialog } from "@base-ui/react/dialog"
import { Link, Outlet } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { Toaster } from "sonner"
import { Button, buttonLook } from "../parts/Button.tsx"
import { Inbox, Menu, Plus, Search } from "../parts/Icons.ts"
import { openNewTask, overlay } from "../parts/Overlays.ts"
import { signedOut } from "../service/SessionQueries.ts"
import { ConnectionState } from "./ConnectionState.tsx"
import { InboxCount, PageTitle } from "./InboxCount.tsx"
import { Navigation } from "./Navigation.tsx"
import { useRenewal } from "./Renewal.ts"
import { useShortcuts } from "./Shortcuts.ts"
import { SignInScreen } from "./SignInScreen.tsx"
import { useTheme } from "./Theme.ts"

const CommandMenu = lazy(() => import("./CommandMenu.tsx"))
const ShortcutHelp = lazy(() => import("./ShortcutHelp.tsx"))
const NewTask = lazy(() => import("../screens/newTask/NewTask.tsx"))
const ConnectModel = lazy(() => import("../screens/models/ConnectModel.tsx"))

const Overlays = () => {
  const open = overlay.use()
  return (
    <Suspense>
      {open?._tag === "commands" && <CommandMenu />}
      {open?._tag === "shortcuts" && <ShortcutHelp />}
      {open?._tag === "newTask" && <NewTask given={open} />}
      {open?._tag === "connectModel" && <ConnectModel next={open.next} />}
    </Suspense>
  )
}

const MobileNavigation = () => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger aria-label="Menu" className={buttonLook({ kind: "ghost", size: "icon" })}>
        <Menu aria-hidden />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-page/70" />
        <Dialog.Popup aria-label="Menu" className="fixed inset-y-0 left-0 z-50 w-64 border-r bg-surface shadow-xl">
          <Navigation onLeave={() => setIsOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** What surrounds every screen. */
export const Shell = () => {
  useShortcuts()
  useRenewal()
  const theme = useTheme()
  if (signedOut.use()) return <SignInScreen />
  return (
    <div className="flex h-full flex-col md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-2"
      >
        Skip to the content
      </a>
      <aside className="hidden w-52 shrink-0 border-r bg-surface md:block">
        <Navigation />
      </aside>
      <header className="flex items-center gap-2 border-b bg-surface px-2 py-1 md:hidden">
        <MobileNavigation />
        <span className="mr-auto font-semibold">Troupe</span>
        <Link to="/" className={`${buttonLook({ kind: "ghost", size: "small" })} gap-1`}>
          <Inbox aria-hidden />
          <span className="sr-only">Inbox</span>
          <InboxCount />
        </Link>
        <Button
          kind="ghost"
          size="icon"
          aria-label="Search and commands"
          onClick={() => overlay.set({ _tag: "commands" })}
        >
          <Search aria-hidden />
        </Button>
        <Button kind="primary" size="icon" aria-label="New task" onClick={() => openNewTask()}>
          <Plus aria-hidden />
        </Button>
      </header>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConnectionState />
        <main id="main" tabIndex={-1} className="min-h-0 flex-1 outline-none">
          <Outlet />
        </main>
      </div>
      <PageTitle />
      <Overlays />
      <Toaster theme={theme} position="bottom-right" closeButton />
    </div>
  )
}
