/** The columns, of which narrow windows show fewer. */
export const columnsLook = "grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4 "
  + "md:grid-cols-[minmax(0,1fr)_10.5rem_7rem_5.5rem] lg:grid-cols-[minmax(0,1fr)_10.5rem_8rem_8rem_5rem_6rem]"

export const cellLook = [
  "",
  "",
  "max-md:hidden",
  "max-lg:hidden",
  "max-lg:hidden text-right tabular-nums",
  "max-md:hidden text-right"
] as const
