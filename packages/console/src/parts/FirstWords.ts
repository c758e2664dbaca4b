/** The first words of a Markdown text, without its signs: `send_email` and `5 * 3` stay as they are. */
export const firstWords = (text: string): string =>
  text.slice(0, 400)
    .replaceAll(/^[ \t]*(?:#{1,6}|>|[-*+])[ \t]+/gm, "")
    .replaceAll(/[`|]|\*\*|~~|(?<!\w)[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?!\w)/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, 200)
