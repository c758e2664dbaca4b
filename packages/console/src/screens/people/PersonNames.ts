import type { User } from "@troupe/client"
import { addressTitleOf, type GatewayName, isGateway } from "@troupe/client/DeliveryWay"

export const roleNames: Readonly<Record<User["role"], string>> = { owner: "Owner", admin: "Admin", member: "Member" }

export type ProfileField = User["overrides"][number]

export const fieldNames: Readonly<Record<Exclude<ProfileField, GatewayName>, string>> = {
  name: "Full name",
  display_name: "Display name",
  email: "E-mail address",
  title: "Title",
  timezone: "Time zone",
  responsibilities: "Responsibilities",
  notify_by: "Notified by"
}

export const fieldName = (field: ProfileField): string => isGateway(field) ? addressTitleOf(field) : fieldNames[field]
