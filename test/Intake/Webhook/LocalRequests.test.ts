import * as Headers from "@effect/platform/Headers"
import { assert, it } from "@effect/vitest"
import { Option } from "effect"
import { isLocal } from "../../../src/Intake/Webhook/LocalSender.ts"

/** What programs and services send themselves. */
const ordinary = [
  "Host",
  "User-Agent",
  "Accept",
  "Accept-Encoding",
  "Connection",
  "Content-Type",
  "Content-Length",
  "Idempotency-Key",
  "Traceparent",
  "X-B3-TraceId",
  "X-Request-Id",
  "X-GitHub-Delivery",
  "X-GitHub-Hook-Installation-Target-ID",
  "X-Hub-Signature-256",
  "X-Gitlab-Event",
  "X-Gitlab-Instance",
  "X-Shopify-Hmac-Sha256",
  "X-Twilio-Signature",
  "X-Amz-Sns-Message-Type",
  "Stripe-Signature",
  "Webhook-Id",
  "Slack-Retry-Num"
]

/** What proxies, content delivery networks and tunnels add. */
const forwarding = [
  "Forwarded",
  "Forwarded-For",
  "X-Forwarded",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Port",
  "X-Forwarded-Prefix",
  "X-Forwarded-Proto",
  "X-Forwarded-Server",
  "X-Forward-For",
  "Z-Forwarded-For",
  "Max-Forwards",
  "X-Original-Forwarded-For",
  "X-Original-Host",
  "X-Original-URL",
  "X-Rewrite-URL",
  "X-Real-IP",
  "X-Client-IP",
  "Client-IP",
  "True-Client-IP",
  "X-Cluster-Client-IP",
  "X-Remote-IP",
  "X-Remote-Addr",
  "Remote-Addr",
  "X-ProxyUser-IP",
  "X-Host",
  "X-HTTP-Host-Override",
  "X-Request-Start",
  "Via",
  "Proxy-Connection",
  "WL-Proxy-Client-IP",
  "X-BlueCoat-Via",
  "CDN-Loop",
  "CF-Connecting-IP",
  "CF-Connecting-IPv6",
  "CF-Ray",
  "CF-Visitor",
  "CF-IPCountry",
  "CF-Warp-Tag-ID",
  "Fastly-Client-IP",
  "Fastly-FF",
  "Fly-Client-IP",
  "Fly-Forwarded-Port",
  "CloudFront-Viewer-Country",
  "X-Amz-Cf-Id",
  "X-Amzn-Trace-Id",
  "X-Amzn-OIDC-Identity",
  "X-Appengine-User-IP",
  "X-Appengine-Country",
  "X-Cloud-Trace-Context",
  "X-Azure-ClientIP",
  "X-Azure-SocketIP",
  "X-Azure-Ref",
  "X-ARR-LOG-ID",
  "X-Envoy-External-Address",
  "X-Envoy-Original-Path",
  "X-Envoy-Attempt-Count",
  "X-Kong-Request-Id",
  "X-Traefik-Router",
  "X-Varnish",
  "X-Akamai-Edgescape",
  "Akamai-Origin-Hop",
  "Incap-Client-IP",
  "X-Sucuri-ClientIP",
  "X-Sucuri-Country",
  "X-Vercel-Id",
  "X-NF-Client-Connection-IP",
  "X-NF-Request-ID",
  "Ngrok-Trace-Id",
  "X-Ngrok-Domain",
  "Tailscale-User-Login",
  "Tailscale-Headers-Info",
  "X_Forwarded_For",
  "X_Real_IP",
  "X-IISNode-Remote_Addr",
  "X-IMForwards",
  "X-Forwarder",
  "X-HAProxy-Server-State",
  "X-Nginx-Request",
  "X-Scheme",
  "X-URL-Scheme",
  "X-SSL",
  "X-SSL-Client-Cert",
  "Front-End-Https",
  "X-Gateway",
  "X-Amzn-ApiGateway-Api-Id",
  "X-SLB-Id",
  "X-Tunnel-Id",
  "X-DevTunnel-Name",
  "X-Railway-Request-Id",
  "X-Render-Origin-Server",
  "X-Auth-Request-User",
  "X-Authentik-Username",
  "X-Pomerium-Jwt-Assertion",
  "Remote-User"
]

it("A request is local if it comes from this machine, and no proxy says that it forwards it", () => {
  const from = (address: string | null, ...headers: ReadonlyArray<string>) =>
    isLocal({
      remoteAddress: Option.fromNullable(address),
      headers: Headers.fromInput(headers.map((name): [string, string] => [name, "x"]))
    })
  for (const address of ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"]) {
    assert.isTrue(from(address, ...ordinary), address)
    for (const header of forwarding) assert.isFalse(from(address, "host", header), header)
  }
  for (const address of ["192.0.2.1", "172.17.0.1", "::ffff:192.0.2.1", "2001:db8::1", "", null]) {
    assert.isFalse(from(address), String(address))
  }
})
