import { makeStore } from "../service/Store.ts"

export type Theme = "system" | "light" | "dark"

const place = "troupe.theme"

const stored = localStorage.getItem(place)

const current = makeStore<Theme>(stored === "light" || stored === "dark" ? stored : "system")

const show = (theme: Theme): void => {
  if (theme === "system") delete document.documentElement.dataset["theme"]
  else document.documentElement.dataset["theme"] = theme
}

show(current.get())

export const useTheme = current.use

export const setTheme = (theme: Theme): void => {
  if (theme === "system") localStorage.removeItem(place)
  else localStorage.setItem(place, theme)
  current.set(theme)
  show(theme)
}
