/** In SQL: the account of the user of this row of `users`. */
export const account = "(select account from chat_accounts where user_id = users.id and deactivated_at is null)"

/** In SQL: the id of the user with this account. */
export const userWith = (id: string): string =>
  `(select user_id from chat_accounts where account = '${id}' and deactivated_at is null)`

/** A statement that gives each of these users an account. */
export const accounts = (given: Readonly<Record<string, string>>): string =>
  `insert into chat_accounts (platform, user_id, account) values ${
    Object.entries(given).map(([user, id]) => `('slack', '${user}', '${id}')`).join(", ")
  } on conflict (user_id, platform) where deactivated_at is null do update set account = excluded.account`
