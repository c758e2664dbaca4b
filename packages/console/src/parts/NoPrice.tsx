import { Link } from "@tanstack/react-router"
import { useMayOperate } from "../service/Rights.ts"

/** Why a cost is not known, with the way to the prices for who may enter them. */
export const NoPrice = () => {
  const mayOperate = useMayOperate() === true
  return (
    <>
      Not known, as the model has no price.{" "}
      {mayOperate && <Link to="/models" className="text-accent underline">Enter it under Models</Link>}
    </>
  )
}
