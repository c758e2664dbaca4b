const formElsewhere = /\n\nFill in its form on the page of the task in the console: .*/
const ofTheConsole = " on the page Tool servers of the console"

/** A question as one reads it in the console: its form is there, and the creator of the task has a name. */
export const questionHere = (question: string, creator: string, name: string): string =>
  question
    .replace(formElsewhere, "")
    .replace(ofTheConsole, " on the page Tool servers")
    .replace(`The task belongs to ${creator}.`, () => `The task belongs to ${name}.`)
    .replace(`The spending limit of ${creator} for `, () => `The spending limit of ${name} for `)
    .replace(` ${creator}, for whom the task works,`, () => ` ${name}, for whom the task works,`)
