import { Kbd } from "../parts/Kbd.tsx"
import { Modal } from "../parts/Modal.tsx"
import { closeOverlay } from "../parts/Overlays.ts"
import { usePlaces } from "./Places.ts"

const general = [
  { name: "Search and commands", keys: ["Ctrl", "K"] },
  { name: "New task", keys: ["c"] },
  { name: "Search in the list", keys: ["/"] },
  { name: "Next and previous entry of a list", keys: ["j", "k"] },
  { name: "Open the entry", keys: ["Enter"] },
  { name: "Tasks: select the task", keys: ["x"] },
  { name: "Inbox: answer, or mark as seen", keys: ["e"] },
  { name: "Inbox: take the first choice", keys: ["1"] },
  { name: "Inbox: approve a call, or deny it", keys: ["a", "d"] },
  { name: "Inbox: approve all calls of the task", keys: ["Shift", "a"] },
  { name: "Leave a field", keys: ["Esc"] },
  { name: "These shortcuts", keys: ["?"] }
]

const ShortcutHelp = () => {
  const places = usePlaces()
  return (
    <Modal isOpen onClose={closeOverlay} title="Keyboard shortcuts">
      <dl className="grid gap-x-8 gap-y-2 sm:grid-cols-2">
        {[
          ...general,
          ...places.flatMap(({ places }) => places).map(({ key, name }) => ({
            name: `Go to ${name}`,
            keys: ["g", key]
          }))
        ].map(({ keys, name }) => (
          <div key={name} className="flex items-center justify-between gap-4">
            <dt>{name}</dt>
            <dd>
              <Kbd keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}

export default ShortcutHelp
