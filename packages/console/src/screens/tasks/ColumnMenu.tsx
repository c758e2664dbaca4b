import { Popover } from "@base-ui/react/popover"
import { Button, buttonLook } from "../../parts/Button.tsx"
import { Columns3 } from "../../parts/Icons.ts"
import { chooseColumns, chooseUsualColumns, chosenColumns, columnNames, columns } from "./Columns.ts"

/** Which columns the list has, kept in this browser. */
export const ColumnMenu = () => {
  const chosen = chosenColumns.use()
  return (
    <Popover.Root>
      <Popover.Trigger className={buttonLook({ className: "max-md:hidden" })}>
        <Columns3 aria-hidden /> Columns
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-40">
          <Popover.Popup
            aria-label="Columns"
            className="flex w-56 flex-col gap-2 rounded-lg border bg-surface p-4 shadow-2xl"
          >
            {columnNames.map((name) => (
              <label key={name} className="flex items-center gap-2">
                <input
                  type="checkbox"
                  className="accent-accent-fill"
                  checked={chosen.includes(name)}
                  onChange={({ target }) =>
                    chooseColumns(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))}
                />
                {columns[name].name}
              </label>
            ))}
            <Button size="small" onClick={chooseUsualColumns}>Use the default columns</Button>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
