/** In SQL: the account of the user with this id on the chat platform of the service; null: none. */
export const chatAccountOf = (userId: string): string =>
  `(select c.account from chat_accounts c where c.user_id = ${userId} and c.deactivated_at is null
    order by c.platform limit 1)`

/** In SQL: whether the user with this id has an account of a chat platform. */
export const hasChatAccount = (userId: string): string =>
  `exists (select from chat_accounts c where c.user_id = ${userId} and c.deactivated_at is null)`
