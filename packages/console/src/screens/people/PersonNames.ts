import type { User } from "@troupe/client"

export const roleNames: Readonly<Record<User["role"], string>> = { owner: "Owner", admin: "Admin", member: "Member" }

export type ProfileField = User["overrides"][number]

export const fieldNames: Readonly<Record<ProfileField, string>> = {
  name: "Full name",
  display_name: "Display name",
  email: "E-mail address",
  title: "Title",
  timezone: "Time zone",
  responsibilities: "Responsibilities",
  notify_by: "Notified by"
}
