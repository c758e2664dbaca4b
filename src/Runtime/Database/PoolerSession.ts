import { type Client, escapeLiteral } from "pg"

/** Controls the transaction, in which nothing can be set any more. */
const isControl = (text: string): boolean => /^\s*(?:abort|commit|end|release|rollback|savepoint)\b/i.test(text)

const isBegin = (text: string): boolean => /^\s*(?:begin|start transaction)\b/i.test(text)

/** The name under which a parameter of a session can be set for the current transaction. */
const localName = (name: string): string => name === "default_transaction_read_only" ? "transaction_read_only" : name

/**
 * Sets these parameters of the server for each transaction of a connection to a pooler, which refuses or ignores those of
 * a session: before a statement outside of a transaction they are sent with it, without another round trip.
 */
export const setForEachTransaction = (
  { connection }: Client,
  parameters: Readonly<Record<string, string | number>>
): void => {
  const calls = Object.entries(parameters).map(([name, value]) =>
    `set_config(${escapeLiteral(localName(name))}, ${escapeLiteral(String(value))}, true)`
  )
  // The offset drops the row, so that only the end of the statement is to be left out of the answer.
  const prefix = `select ${calls.join(", ")} offset 1`
  const { emit, parse, query } = connection
  let isIdle = true
  let isPrefixed = false

  connection.parse = (statement, more) => {
    if (isIdle && !isPrefixed) {
      isPrefixed = true
      parse.call(connection, { name: "", text: prefix, types: [] }, true)
      connection.bind({}, true)
      connection.execute({}, true)
    }
    parse.call(connection, statement, more)
  }
  connection.query = (text) => {
    if (isBegin(text)) return query.call(connection, `${text}; ${prefix}`)
    if (!isIdle || isControl(text)) return query.call(connection, text)
    connection.parse({ name: "", text, types: [] }, true)
    connection.bind({}, true)
    connection.describe({ type: "P", name: "" }, true)
    connection.execute({}, true)
    connection.sync()
  }
  connection.emit = (event, ...values: ReadonlyArray<unknown>) => {
    if (event === "commandComplete" && isPrefixed) {
      isPrefixed = false
      return true
    }
    if (event === "readyForQuery") {
      isPrefixed = false
      isIdle = statusOf(values[0]) === "I"
    }
    return emit.call(connection, event, ...values)
  }
}

const statusOf = (message: unknown): unknown =>
  typeof message === "object" && message !== null && "status" in message ? message.status : null
