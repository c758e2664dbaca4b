import { labelOf, optionsOf, type QuestionForm } from "./QuestionForm.ts"

/** Secrets, in the words of a few languages. A word such as `key` alone is one only as the whole name of a field. */
const secretWords =
  /\b(?:pass ?(?:word|phrase|code)|pwd|passwort|kennwort|mot de passe|contrase(?:ñ|n)a|senha|wachtwoord|(?:api|secret|private|access|signing|encryption|licen[cs]e|ssh|session|recovery|auth|bearer|security|client) ?(?:key|token|secret|code|phrase)s?|secret|credentials?|credit ?card|debit ?card|card ?(?:number|no)|kreditkarte|cvv|cvc|pin|otp|one ?time ?(?:password|code)|social security|seed phrase|personal access token)\b|пароль|密码|密碼|パスワード|비밀번호/iu

const wholeNames = /^(?:the |your |a |an )?(?:key|cookie|jwt|pat|ssn|apikey|accesstoken)$/i

/** Of any service, such as `github_token`; not a place in a list. */
const tokenNames = /(?<!\b(?:page|sync|continuation|cancellation) )\btoken(?: \(.*\))?$/i

const askedInWords =
  /\b(?:enter|give|provide|paste|type|send|share|need|confirm|supply|input)\b[^.?!]{0,80}?\b(?:your|the|a|an)\b[^.?!]{0,40}?\btoken\b/i

/** `apiKey`, `API_KEY` and `api-key` as words. */
const words = (text: string): string =>
  text.slice(0, 4_000).replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").replaceAll(/[_\-./]+/g, " ").replaceAll(/ {2,}/g, " ")
    .trim()

/** Text that warns of secrets ("do not give us your pin") does not ask for them. */
const warning = /\b(?:not|never|no|don'?t|without)\b/i

const asking = (text: string): string =>
  text.slice(0, 4_000).split(/[.!?;()\n]/).filter((part) => !warning.test(part)).join(". ")

/**
 * Whether a form asks for a password, a key, a token or a card's number, which must not be told a tool server in a form. Only a
 * field that takes any text or number can be told one.
 */
export const asksForSecret = (message: string, { properties }: QuestionForm): boolean => {
  const open = Object.entries(properties).filter(([, field]) =>
    field.type !== "boolean" && field.type !== "array" && optionsOf(field) === null
  )
  return open.some(([name, field]) =>
    [name, labelOf(name, field)].some((text) =>
      [secretWords, wholeNames, tokenNames].some((pattern) => pattern.test(words(text)))
    )
    || secretWords.test(words(asking(field.description ?? ""))) || field.format === "password"
  ) || open.some(([, { type }]) =>
        type === "string"
      ) && (secretWords.test(words(asking(message))) || askedInWords.test(asking(message)))
}
