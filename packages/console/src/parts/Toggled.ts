/** The chosen ones after one of them was switched on or off. */
export const toggled = <A>(chosen: ReadonlyArray<A>, one: A, isChosen: boolean): ReadonlyArray<A> =>
  isChosen ? [...chosen, one] : chosen.filter((other) => other !== one)
