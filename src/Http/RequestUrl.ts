/** Text that can't be decoded or stored would otherwise be answered with 404. */
export const urlFault = (url: string): string | null => {
  if (!url.includes("%")) return null
  if (url.includes("%00")) return "must not contain NUL characters"
  return isDecodable(url) ? null : "must be percent-encoded UTF-8; a % itself is written as %25"
}

const isDecodable = (url: string): boolean => {
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}
