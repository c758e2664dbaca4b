import { makeStore } from "../service/Store.ts"

export type Theme = "system" | "light" | "dark"

const place = "troupe.theme"

const stored = localStorage.getItem(place)

const current = makeStore<Theme>(stored === "light" || stored === "dark" ? stored : "system")

const dark = matchMedia("(prefers-color-scheme: dark)")

// Chromium keeps inherited colours when the theme of the system changes, but not when an attribute does.
const show = (theme: Theme): void => {
  document.documentElement.dataset["theme"] = theme === "system" ? (dark.matches ? "dark" : "light") : theme
}

show(current.get())
dark.addEventListener("change", () => show(current.get()))

export const useTheme = current.use

export const setTheme = (theme: Theme): void => {
  if (theme === "system") localStorage.removeItem(place)
  else localStorage.setItem(place, theme)
  current.set(theme)
  show(theme)
}
