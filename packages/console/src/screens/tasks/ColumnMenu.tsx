import { Popover } from "@base-ui/react/popover"
import { Button, buttonLook } from "../../parts/Button.tsx"
import { Checkbox } from "../../parts/Checkbox.tsx"
import { Columns3 } from "../../parts/Icons.ts"
import { toggled } from "../../parts/Toggled.ts"
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
              <Checkbox
                key={name}
                isChecked={chosen.includes(name)}
                onChange={(isChecked) => chooseColumns(toggled(chosen, name, isChecked))}
              >
                {columns[name].name}
              </Checkbox>
            ))}
            <Button size="small" onClick={chooseUsualColumns}>Use the default columns</Button>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
