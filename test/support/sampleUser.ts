import { User } from "@troupe/domain/User"
import { Schema } from "effect"

/** A user with this id and no profile, as the service sends one. */
export const encodedUser = (id: string): typeof User.Encoded => ({
  id,
  name: null,
  display_name: null,
  email: null,
  chat_user_id: null,
  title: null,
  timezone: null,
  role: "member",
  responsibilities: null,
  avatar_url: null,
  is_system: false,
  notify_by: [],
  overrides: [],
  created_at: "2026-01-15T09:30:00.000Z",
  updated_at: "2026-01-15T09:30:00.000Z"
})

export const sampleUser = (id: string): User => Schema.decodeSync(User)(encodedUser(id))
