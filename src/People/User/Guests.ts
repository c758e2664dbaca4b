/** Whether the user is a guest of the chat platform, and no member of the team. */
export const isGuest = (user: string): string =>
  `exists (select from users u where u.id = ${user} and u.is_guest
    and not 'email' = any(u.overrides) and not exists (select from team_members m where m.user_id = u.id))`
