export const message = { message: "Say hello" }

export const hosted = {
  OIDC_ISSUER: "https://id.example",
  OIDC_AUDIENCE: "troupe",
  TEAM_OWNER_EMAIL: "owner@example.com"
}
