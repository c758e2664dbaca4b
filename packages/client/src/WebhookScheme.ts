export {
  isWebhookScheme,
  settingOf,
  usualSchemeOf,
  type WebhookScheme,
  webhookSchemes
} from "@troupe/domain/WebhookScheme"
