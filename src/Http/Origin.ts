import type { Settings } from "../Runtime/Settings.ts"

/** Who may call, by the headers that browsers set and pages can't forge. */
export interface OriginPolicy {
  /** Why the request is refused, or null. */
  readonly refusal: (host: string | undefined, origin: string | undefined) => string | null
  /** Whether pages of this origin may read the answers (CORS). */
  readonly isShared: (origin: string) => boolean
}

const parsed = (url: string): URL | null => URL.canParse(url) ? new URL(url) : null

const isLoopback = (hostname: string) =>
  hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]"
  || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/**
 * contract.md 1, Origin and CORS. Self-hosted, nobody signs in, so a foreign page must get nowhere: neither by a
 * request to this address nor by a name of its own that resolves to it (DNS rebinding).
 */
export const originPolicy = (settings: Settings["Type"]): OriginPolicy => {
  const { allowedHosts, corsOrigins, port, publicUrl } = settings.http
  const selfHosted = settings.deploymentMode === "self-hosted"
  const own = selfHosted
    ? [publicUrl.origin, ...["localhost", "127.0.0.1", "[::1]"].map((name) => `http://${name}:${port}`)]
    : []
  const shared = new Set(corsOrigins._tag === "Some" ? corsOrigins.value : own)
  const isShared = (origin: string) => shared.has(origin) || shared.has("*")
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const isOurs = ({ host, hostname }: URL) =>
    isLoopback(hostname) || hostname === publicUrl.hostname || hosts.has(hostname) || hosts.has(host)

  const refusal: OriginPolicy["refusal"] = (host, origin) => {
    if (!selfHosted) return null
    // Without Host it is an old probe, not a browser: those always send one.
    const target = host === undefined ? publicUrl : parsed(`http://${host}`)
    if (target === null || !isOurs(target)) {
      return `This service does not answer to the host ${host}; name it in ALLOWED_HOSTS if it should.`
    }
    if (origin === undefined || isShared(origin)) return null
    const from = parsed(origin)
    return from !== null && isOurs(from)
      ? null
      : `Pages of ${origin} may not call this service; name the origin in CORS_ORIGINS if they should.`
  }
  return { refusal, isShared }
}
