/** A browser may block the storage of a page, or have no room: then a text lasts as long as the page. */
const tried = <A>(use: () => A): A | null => {
  try {
    return use()
  } catch {
    return null
  }
}

export const storedText = (place: string): string | null => tried(() => localStorage.getItem(place))

/** Keeps the text in this browser; null deletes it. */
export const storeText = (place: string, text: string | null): void =>
  void tried(() => text === null ? localStorage.removeItem(place) : localStorage.setItem(place, text))
