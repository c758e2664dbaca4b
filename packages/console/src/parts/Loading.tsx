/** Shown only after a moment, so that quick answers do not flicker. */
export const Loading = () => (
  <p role="status" className="animate-[appear_0s_300ms_both] px-4 py-6 text-muted">
    Loading …
  </p>
)
