import { storedText, storeText } from "../service/Storage.ts"
import { makeStore } from "../service/Store.ts"

export type Theme = "system" | "light" | "dark"

const place = "troupe.theme"

const stored = storedText(place)

const current = makeStore<Theme>(stored === "light" || stored === "dark" ? stored : "system")

const show = (theme: Theme): void => {
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
}

show(current.get())

export const useTheme = current.use

export const setTheme = (theme: Theme): void => {
  storeText(place, theme === "system" ? null : theme)
  current.set(theme)
  show(theme)
}
