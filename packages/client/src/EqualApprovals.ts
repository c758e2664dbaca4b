export { agrees, equalApprovals, lastCalls, type PastApproval, sameText } from "@troupe/domain/EqualApprovals"
