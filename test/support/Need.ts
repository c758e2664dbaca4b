import { platform, stderr } from "node:process"

/** What some tests need of the machine. */
export interface Need {
  readonly isMissing: boolean
  /** The name of a test, or of several. If the need is missing, the name and standard error say that it is not tested. */
  readonly named: (name: string) => string
}

export const need = (what: string, isMet: boolean): Need => ({
  isMissing: !isMet,
  named: (name) => {
    if (isMet) return name
    stderr.write(`NOT TESTED, because it needs ${what}: ${name}\n`)
    return `${name} (NOT TESTED, because it needs ${what})`
  }
})

export const linux = need("Linux", platform === "linux")
export const posix = need("a POSIX system", platform !== "win32")
