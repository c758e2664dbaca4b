/** Whether a name matches a glob, in which `*` stands for any characters, also for none. */
export const matchesGlob = (glob: string, name: string): boolean => {
  const [start = "", ...parts] = glob.split("*")
  const end = parts.pop()
  if (end === undefined) return name === glob
  if (!name.startsWith(start)) return false
  let at = start.length
  for (const part of parts) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return name.length - at >= end.length && name.endsWith(end)
}
