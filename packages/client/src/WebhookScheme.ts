export {
  isWebhookScheme,
  settingOf,
  signingLines,
  usualSchemeOf,
  type WebhookScheme,
  webhookSchemes
} from "@troupe/domain/WebhookScheme"
