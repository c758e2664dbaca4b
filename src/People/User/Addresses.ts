import { type AddressField, gatewayNames, isGateway } from "@troupe/domain/DeliveryWay"
import { chatAccountOf } from "./ChatAccounts.ts"

/** In SQL: an address of the row `user` of users, where notifications are sent. */
export const addressOf = (user: string, field: AddressField): string =>
  field === "chat_user_id"
    ? chatAccountOf(`${user}.id`)
    : isGateway(field)
    ? `${user}.addresses ->> '${field}'`
    : `${user}.${field}`

/** In SQL: columns of a row of users with its further addresses, each followed by a comma. */
export const gatewayColumns = gatewayNames.map((field) => `addresses ->> '${field}' as "${field}", `).join("")
