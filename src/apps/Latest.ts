import type { Overlay, SettingValues } from "../Runtime/Settings/Settings.ts"

/** Options of a layer that follow the settings while the service runs: each property is that of the settings at the time. */
export const latest = <A extends object>(stored: Overlay, optionsOf: (values: SettingValues) => A): A => {
  let values = stored.current()
  let options = optionsOf(values)
  return new Proxy(options, {
    get: (_, name) => {
      const now = stored.current()
      if (now !== values) [values, options] = [now, optionsOf(now)]
      return Reflect.get(options, name)
    }
  })
}
