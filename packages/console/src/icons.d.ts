declare module "~icons/*" {
  import type { ComponentType, SVGProps } from "react"
  const icon: ComponentType<SVGProps<SVGSVGElement>>
  export default icon
}
