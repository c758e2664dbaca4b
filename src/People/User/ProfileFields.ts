import type { GatewayName } from "@troupe/domain/DeliveryWay"
import type { User } from "@troupe/domain/User"
import { Record } from "effect"

/** What a user has beside the profile, which is written, joined and deleted in its own way. */
type OtherField = "chat_user_id" | "created_at" | "id" | "is_system" | "notify_by" | "overrides" | "role" | "updated_at"

type ProfileField = Exclude<keyof User, GatewayName | OtherField>

/** The text fields of a profile, by the names of their columns. People or a sync write them; erasing the personal data clears them. */
export const profileFields: ReadonlyArray<ProfileField> = Record.keys(
  {
    name: true,
    display_name: true,
    email: true,
    title: true,
    timezone: true,
    responsibilities: true,
    avatar_url: true
  } satisfies Readonly<Record<ProfileField, true>>
)
