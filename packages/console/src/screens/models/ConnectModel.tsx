import { closeOverlay, type GivenTask, openNewTask } from "../../parts/Overlays.ts"
import { ModelForm } from "./ModelForm.tsx"

/** The form of a new model over any screen. The task that has waited for a model opens again after it. */
const ConnectModel = ({ next }: { readonly next: GivenTask | undefined }) => (
  <ModelForm onClose={next === undefined ? closeOverlay : () => openNewTask(next)} />
)

export default ConnectModel
