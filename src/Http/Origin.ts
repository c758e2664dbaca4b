import type { HttpOptions } from "./HttpOptions.ts"

export interface OriginPolicy {
  readonly refusal: (host: string | undefined, origin: string | undefined) => string | null
  /** Whether pages of this origin may read the answers (CORS). */
  readonly isShared: (origin: string) => boolean
}

const parsed = (url: string): URL | null => URL.canParse(url) ? new URL(url) : null

const isLoopback = (hostname: string) =>
  hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]"
  || /^127(?:\.\d{1,3}){3}$/.test(hostname)

/**
 * A self-hosted service has no sign-in, so it refuses foreign pages: requests from another origin, and requests to
 * another host name that resolves to this address (DNS rebinding).
 */
export const originPolicy = (
  { allowedHosts, corsOrigins, deploymentMode, port, publicUrl }: HttpOptions
): OriginPolicy => {
  const selfHosted = deploymentMode === "self-hosted"
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
    // Browsers always send Host; old health probes may not.
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
