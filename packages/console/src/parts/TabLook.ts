/** The look of a tab above a text that is shown in more than one way. */
export const textTabLook =
  "h-7 rounded-md px-2 text-xs text-muted hover:text-text data-active:bg-raised data-active:text-text"

/** The look of a tab above a list that it filters. */
export const listTabLook =
  "-mb-px scroll-mx-3 border-b-2 border-transparent px-2.5 py-2 whitespace-nowrap text-muted hover:text-text "
  + "aria-pressed:border-accent aria-pressed:font-medium aria-pressed:text-text"

/** The look of a link to another view of the same thing. */
export const viewTabLook =
  "-mb-px border-b-2 border-transparent px-2.5 py-1.5 whitespace-nowrap text-muted hover:text-text "
  + "aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-text"
