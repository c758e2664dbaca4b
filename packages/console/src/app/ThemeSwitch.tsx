import { Toggle } from "@base-ui/react/toggle"
import { ToggleGroup } from "@base-ui/react/toggle-group"
import { Monitor, Moon, Sun } from "../parts/Icons.ts"
import { setTheme, type Theme, useTheme } from "./Theme.ts"

const themes = [
  { theme: "system", name: "Theme of the system", icon: Monitor },
  { theme: "light", name: "Light theme", icon: Sun },
  { theme: "dark", name: "Dark theme", icon: Moon }
] as const satisfies ReadonlyArray<{ readonly theme: Theme; readonly name: string; readonly icon: typeof Sun }>

export const ThemeSwitch = () => {
  const current = useTheme()
  return (
    <ToggleGroup aria-label="Theme" value={[current]} className="flex rounded-md border">
      {themes.map(({ icon: Icon, name, theme }) => (
        <Toggle
          key={theme}
          value={theme}
          aria-label={name}
          title={name}
          onClick={() => setTheme(theme)}
          className="grid h-7 w-8 place-items-center text-muted first:rounded-l-md last:rounded-r-md hover:text-text data-pressed:bg-raised data-pressed:text-text"
        >
          <Icon aria-hidden className="size-3.5" />
        </Toggle>
      ))}
    </ToggleGroup>
  )
}
