/** Whether what comes from the address can be trusted: not over plain HTTP, except from this machine. */
export const isSecureUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { hostname, protocol } = new URL(text)
  return protocol === "https:" || (protocol === "http:" && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname))
}
