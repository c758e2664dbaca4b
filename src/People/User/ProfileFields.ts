import type { User } from "@troupe/domain/User"
import { Record } from "effect"

/** What a user has beside the profile, which is written, joined and deleted in its own way. */
type OtherField = "chat_user_id" | "created_at" | "id" | "is_system" | "notify_by" | "overrides" | "role" | "updated_at"

type ProfileField = Exclude<keyof User, OtherField>

/** Texts that people enter or a sync writes, and that end with the personal data: their names are those of the columns. */
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
