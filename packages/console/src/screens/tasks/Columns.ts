/** The columns, of which narrow windows show fewer. */
export const columnsLook = "grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 px-4 "
  + "md:grid-cols-[minmax(0,1fr)_10.5rem_7rem_5.5rem] lg:grid-cols-[minmax(0,1fr)_10.5rem_7rem_7rem_4.5rem_6rem] "
  + "xl:grid-cols-[minmax(0,1fr)_10.5rem_7rem_7rem_7rem_4.5rem_6rem] "
  + "2xl:grid-cols-[minmax(0,1fr)_10.5rem_7rem_8rem_8rem_8rem_8rem_6rem]"

/** The columns in their order, with the look of their cells. */
export const columns = {
  task: { name: "Task", look: "" },
  state: { name: "State", look: "" },
  source: { name: "Source", look: "max-xl:hidden" },
  project: { name: "Project", look: "max-2xl:hidden" },
  creator: { name: "Creator", look: "max-md:hidden" },
  assignee: { name: "Assignee", look: "max-lg:hidden" },
  tokens: { name: "Tokens", look: "max-lg:hidden text-right tabular-nums" },
  created: { name: "Created", look: "max-md:hidden text-right" }
} as const
